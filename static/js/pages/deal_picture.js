// A try of the deal of the day as a shareable picture: one bar per turn, whose height is the progress of the pirates. It
// reveals nothing about boards or cards.

/** @import {DealTry} from "../core/types.d.ts" */

import { el } from "../core/dom.js";
import { t, tn } from "../core/i18n.js";

const BARS = "▁▂▃▄▅▆▇█";
// The approximate maximum number of spaces gained in a turn.
const MAX_GAIN = 28;
const BACKWARD_MARK = "↓";
const BARS_PER_LINE = 20;

/**
 * Return the value of a colour token.
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

const WIDTH = 560;
const HEIGHT = 315;
const MARGIN = 24;
const BASE = 246;
// Device pixels per unit.
const SCALE = 2;

/**
 * Create the image, empty until its picture is drawn.
 * @param {{ title: string, attempt: DealTry }} parts
 */
export const SharePicture = ({ title, attempt }) =>
  el("img", { width: WIDTH, height: HEIGHT, alt: `${title}: ${describeResult(attempt)}` });

/**
 * Draw the picture to share as a PNG, in the site's typefaces: day, edition, result, bars, and the address as a caption.
 * @param {{ day: string, title: string, attempt: DealTry, address: string }} parts
 * @returns {Promise<Blob>}
 */
export async function drawPicture({ day, title, attempt, address }) {
  const style = getComputedStyle(document.documentElement);
  const display = style.getPropertyValue("--font-display");
  const text = style.getPropertyValue("--font-text");
  // Without them the picture is drawn in the next typefaces of the lists.
  await Promise.all([display, text].map((family) => document.fonts.load(`20px ${family}`, title))).catch(
    () => [],
  );
  const canvas = el("canvas", { width: WIDTH * SCALE, height: HEIGHT * SCALE });
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  context.scale(SCALE, SCALE);
  context.fillStyle = tokenColour("paper-raised");
  context.fillRect(0, 0, WIDTH, HEIGHT);
  context.strokeStyle = tokenColour("line-strong");
  context.strokeRect(6.5, 6.5, WIDTH - 13, HEIGHT - 13);
  /**
   * @param {string} font
   * @param {number} y
   * @param {string} words
   * @param {string} [colour]
   */
  const write = (font, y, words, colour = "ink") => {
    context.font = font;
    context.fillStyle = tokenColour(colour);
    context.fillText(words, MARGIN, y, WIDTH - 2 * MARGIN);
  };
  write(`30px ${display}`, 46, `Cartagena · ${day}`, "accent");
  write(`18px ${text}`, 76, title);
  write(`bold 20px ${text}`, 106, describeResult(attempt));
  write(
    `15px ${text}`,
    HEIGHT - 24,
    `${t("The deal of the day")} · ${address.replace(/^https?:\/\//, "")}`,
    "ink-soft",
  );
  const gains = gainsPerTurn(attempt.line);
  const wide = (WIDTH - 2 * MARGIN) / Math.max(12, gains.length);
  for (const [n, gain] of gains.entries()) {
    const height = 12 + barHeight(gain) * 14;
    const isBack = gain < 0;
    context.fillStyle = tokenColour(isBack ? "bad" : attempt.how === "won" ? "good" : "gold");
    context.fillRect(
      MARGIN + n * wide,
      isBack ? BASE + 3 : BASE - height,
      Math.max(2, wide - 4),
      isBack ? 8 : height,
    );
  }
  context.beginPath();
  context.moveTo(MARGIN, BASE + 1.5);
  context.lineTo(WIDTH - MARGIN, BASE + 1.5);
  context.stroke();
  return new Promise((done) => canvas.toBlob((blob) => done(/** @type {Blob} */ (blob)), "image/png"));
}

/** @param {string} words */
export const ShareCaption = (words) => el("figcaption", {}, el("pre.deal-text", {}, words));
