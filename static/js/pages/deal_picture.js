// A try of the deal of the day as a shareable picture: one bar per turn, whose height is the progress of the pirates. It
// reveals nothing about boards or cards.

/** @import {DealTry} from "../core/types.d.ts" */

import { el, svg } from "../core/dom.js";
import { t, tn } from "../core/i18n.js";

const BARS = "▁▂▃▄▅▆▇█";
// The approximate maximum number of spaces gained in a turn.
const MAX_GAIN = 28;
const BACKWARD_MARK = "↓";
const BARS_PER_LINE = 20;

/**
 * Return the value of a colour token. A saved picture has no style sheet.
 * @param {string} name
 */
const tokenColour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

/**
 * Return the total gain of each turn in spaces; negative after retreats.
 * @param {DealTry["line"]} line
 */
const gainsPerTurn = (line) => line.map(({ spaces }, n) => spaces - (n ? line[n - 1].spaces : 0));

/** @param {number} gain */
const barHeight = (gain) =>
  Math.min(BARS.length - 1, Math.floor((Math.max(0, gain) / MAX_GAIN) * BARS.length));

/** @param {{ how: string | null, turns: number }} parts */
export function describeResult({ how, turns }) {
  if (how === "won") return tn("Escaped in {n} turn.", "Escaped in {n} turns.", turns);
  if (how === "beaten")
    return tn("A bot was faster, after {n} turn.", "A bot was faster, after {n} turns.", turns);
  return how === "given_up" ? t("Resigned.") : t("The result of this attempt is not known.");
}

/**
 * Return the text to share: day, result, bars and address.
 * @param {{ day: string, title: string, attempt: DealTry, address: string }} parts
 */
export function shareText({ day, title, attempt, address }) {
  const bars = gainsPerTurn(attempt.line).map((gain) => (gain < 0 ? BACKWARD_MARK : BARS[barHeight(gain)]));
  const rows = [];
  for (let at = 0; at < bars.length; at += BARS_PER_LINE)
    rows.push(bars.slice(at, at + BARS_PER_LINE).join(""));
  const head = t("Cartagena, deal of the day ({day}): {edition}", { day, edition: title });
  const note =
    attempt.n > 1
      ? t("(Not the first attempt.)")
      : attempt.is_late
        ? t("It ended after its day, so it is not in any list.")
        : "";
  return [head, [describeResult(attempt), note].filter(Boolean).join(" "), ...rows, address].join("\n");
}

/**
 * Create the picture to share.
 * @param {{ day: string, title: string, attempt: DealTry }} parts
 */
export function SharePicture({ day, title, attempt }) {
  const turns = gainsPerTurn(attempt.line);
  const wide = 480 / Math.max(12, turns.length);
  const bars = turns.map((gain, n) => {
    const size = 12 + barHeight(gain) * 11;
    const place = { x: 20 + n * wide, width: Math.max(2, wide - 4), rx: 2 };
    return gain < 0
      ? svg("rect", { ...place, y: 218, height: 8, fill: tokenColour("bad") })
      : svg("rect", {
          ...place,
          y: 214 - size,
          height: size,
          fill: attempt.how === "won" ? tokenColour("good") : tokenColour("gold"),
        });
  });
  /**
   * @param {number} x
   * @param {number} y
   * @param {number} size
   * @param {string} words
   */
  const text = (x, y, size, words) =>
    svg(
      "text",
      { x, y, "font-size": size, fill: tokenColour("ink"), "font-family": "Georgia, serif" },
      words,
    );
  return svg(
    "svg",
    {
      xmlns: "http://www.w3.org/2000/svg",
      viewBox: "0 0 520 250",
      width: 520,
      height: 250,
      role: "img",
      "aria-label": `${title}: ${describeResult(attempt)}`,
    },
    svg("rect", { width: 520, height: 250, fill: tokenColour("paper-raised") }),
    svg("rect", { x: 6, y: 6, width: 508, height: 238, fill: "none", stroke: tokenColour("line-strong") }),
    text(20, 38, 22, `Cartagena · ${day}`),
    text(20, 64, 17, title),
    text(20, 90, 17, describeResult(attempt)),
    ...bars,
    svg("path", { d: "M20 216H500", stroke: tokenColour("line-strong") }),
  );
}

/**
 * Return the URL of a file with this picture, for a download link.
 * @param {SVGElement} picture
 */
export function svgFileUrl(picture) {
  return URL.createObjectURL(
    new Blob([new XMLSerializer().serializeToString(picture)], { type: "image/svg+xml" }),
  );
}

/** @param {string} words */
export const ShareCaption = (words) => el("figcaption", {}, el("pre.deal-text", {}, words));
