// The locale of dates and times.

import { language } from "./i18n.js";

/** Return the browser's regional variant of the page's language if it has one: British English writes 18:30, not 6:30 PM. */
export const dateLocale = () => {
  const [primary] = language().split("-");
  return navigator.languages.find((tag) => tag.split("-")[0] === primary) ?? language();
};
