// Chances as people read them: points of a hundred, with the sign of the language's own.

import { language } from "./i18n.js";

export const points = (share) => Math.round(share * 100);

/** "+4", "−12", "0". */
export const signed = (share) => new Intl.NumberFormat(language(), { signDisplay: "exceptZero" }).format(points(share));
