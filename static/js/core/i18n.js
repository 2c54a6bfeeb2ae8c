// Sentences in the page's language: the same catalogue the templates use, English is the key.

const HOLE = /\{(\w+)\}/g;

/** Read what the page points at; a missing catalogue means English, never a broken page. */
async function readCatalogue(name = "catalogue") {
  if (typeof document === "undefined") return {};
  const url = document.querySelector(`meta[name="${name}"]`)?.content;
  if (!url) return {};
  try {
    const answer = await fetch(url);
    return answer.ok ? await answer.json() : {};
  } catch {
    return {};
  }
}

let catalogue = await readCatalogue();

/** For tests and for pages that bring their own sentences. */
export function useCatalogue(sentences) {
  catalogue = sentences;
}

let isWhole = false;

/** The table is given only what it usually says; what is rare asks for the whole catalogue first. */
export async function wholeCatalogue() {
  if (isWhole) return;
  const whole = await readCatalogue("catalogue-whole");
  isWhole = Boolean(whole.lang);
  if (isWhole) catalogue = whole;
}

/** A module that few need, `rare(import("…"))`, when its sentences are there too (NOT_AT_TABLE in app/web/i18n.py). */
export const rare = (loading) => Promise.all([loading, wholeCatalogue()]).then(([module]) => module);

/** The page's language, as a BCP 47 tag. */
export const language = () => catalogue.lang ?? "en";

function fill(text, values) {
  return text.replace(HOLE, (hole, name) => (name in values ? String(values[name]) : hole));
}

/** Translate a sentence: t("{name} joined", {name}). */
export function t(source, values = {}) {
  return fill(catalogue.singles?.[source] ?? source, values);
}

/** The sentence for why the rules refuse something, in the page's language; its {holes} are the parameters. */
export const reason = (why) => catalogue.reasons?.[why];

/** Translate by number: tn("{n} card", "{n} cards", n). */
export function tn(one, many, n, values = {}) {
  const forms = catalogue.plurals?.[one] ?? [one, many];
  const isOne = n === 1 || (n === 0 && catalogue.zeroIsOne === true);
  return fill(forms[isOne ? 0 : 1], { n, ...values });
}

/** Mark a sentence for translation where it stands; t() it where it is shown. */
export const N_ = (source) => source;

/** Names joined as the language joins them: "red, blue and green". */
export function list(parts) {
  return new Intl.ListFormat(language(), { type: "conjunction" }).format(parts);
}

/** A share as the language writes it: "27%", "27 %". */
export const percent = (share) => new Intl.NumberFormat(language(), { style: "percent" }).format(share);

/** A moment as people say it: "5 minutes ago", "in 2 days". */
export function ago(seconds) {
  const words = new Intl.RelativeTimeFormat(language(), { numeric: "auto" });
  const steps = [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];
  for (const [unit, size] of steps) {
    if (Math.abs(seconds) >= size || unit === "second") {
      return words.format(Math.round(seconds / size), unit);
    }
  }
  return "";
}
