// What a try of the deal of the day looks like to others: one bar a turn, as high as the pirates came forward in it. It tells
// nothing of boards or cards.
import { el, svg } from "../core/dom.js";
import { t, tn } from "../core/i18n.js";

const BARS = "▁▂▃▄▅▆▇█";
const MOST = 28; // spaces that one turn may bring, about
const BACK = "↓";
const A_LINE = 20;

/** A picture that is saved carries its colours with it. */
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

/** How far each turn brought all pirates together; less than nothing where they fell back. */
export const gains = (line) => line.map(({ spaces }, n) => spaces - (n ? line[n - 1].spaces : 0));

const height = (gain) => Math.min(BARS.length - 1, Math.floor((Math.max(0, gain) / MOST) * BARS.length));

export function resultWords({ how, turns }) {
  if (how === "won") return tn("Escaped in {n} turn.", "Escaped in {n} turns.", turns);
  if (how === "beaten") return tn("A bot was faster, after {n} turn.", "A bot was faster, after {n} turns.", turns);
  return how === "given_up" ? t("Given up.") : t("The result of this try is not known.");
}

/** The lines to paste: day, result, bars, where to play it. */
export function shareText({ day, title, attempt, address }) {
  const bars = gains(attempt.line).map((gain) => (gain < 0 ? BACK : BARS[height(gain)]));
  const rows = [];
  for (let at = 0; at < bars.length; at += A_LINE) rows.push(bars.slice(at, at + A_LINE).join(""));
  const head = t("Cartagena, deal of {day}: {edition}", { day, edition: title });
  const note = attempt.n > 1 ? t("(Not the first try.)") : attempt.is_late ? t("It ended after its day, so it stands in no list.") : "";
  return [head, [resultWords(attempt), note].filter(Boolean).join(" "), ...rows, address].join("\n");
}

/** The same as a picture that carries its own colours, so that it can be saved. */
export function sharePicture({ day, title, attempt }) {
  const turns = gains(attempt.line);
  const wide = 480 / Math.max(12, turns.length);
  const bars = turns.map((gain, n) => {
    const size = 12 + height(gain) * 11;
    const place = { x: 20 + n * wide, width: Math.max(2, wide - 4), rx: 2 };
    return gain < 0
      ? svg("rect", { ...place, y: 218, height: 8, fill: colour("bad") })
      : svg("rect", { ...place, y: 214 - size, height: size, fill: attempt.how === "won" ? colour("good") : colour("gold") });
  });
  const text = (x, y, size, words) => svg("text", { x, y, "font-size": size, fill: colour("ink"), "font-family": "Georgia, serif" }, words);
  return svg(
    "svg",
    { xmlns: "http://www.w3.org/2000/svg", viewBox: "0 0 520 250", width: 520, height: 250, role: "img", "aria-label": `${title}: ${resultWords(attempt)}` },
    svg("rect", { width: 520, height: 250, fill: colour("paper-raised") }),
    svg("rect", { x: 6, y: 6, width: 508, height: 238, fill: "none", stroke: colour("line-strong") }),
    text(20, 38, 22, `Cartagena · ${day}`),
    text(20, 64, 17, title),
    text(20, 90, 17, resultWords(attempt)),
    ...bars,
    svg("path", { d: "M20 216H500", stroke: colour("line-strong") }),
  );
}

/** The place of a file with this picture, for a link that saves it. */
export function fileOf(picture) {
  return URL.createObjectURL(new Blob([new XMLSerializer().serializeToString(picture)], { type: "image/svg+xml" }));
}

export const caption = (words) => el("figcaption", {}, el("pre.deal-text", {}, words));
