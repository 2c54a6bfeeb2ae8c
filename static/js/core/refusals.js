// Refusals in the reader's language: by the reason where the rules give one, else by their stable code; the server's own sentence
// where a code is new.
import { language, N_, reason, t, wholeCatalogue } from "./i18n.js";

// Codes whose sentence from the server says more than a fixed one could.
const TELLING = new Set(["illegal", "bad_options", "bad_name", "bad_request", "bad_record"]);

export const SENTENCES = {
  bad_message: N_("The server did not understand this message."),
  too_fast: N_("That was too much at once; wait a moment."),
  too_many: N_("That was too much at once. Wait a moment and try again."),
  hello_first: N_("The connection was not ready. Try again."),
  password_required: N_("There is no such table, or it needs a password."),
  password_wrong: N_("That is not its password, or there is no such table."),
  not_locked: N_("This table has no password."),
  no_spectators: N_("This table does not want to be watched."),
  no_session: N_("Choose a name first."),
  who_are_you: N_("Choose a name first."),
  banned: N_("You have been shut out of this server by its operator."),
  no_newcomers: N_("Nobody new can come in from your address at the moment. Log in, or try again tomorrow."),
  blocked: N_("Somebody at this table does not want to play with you."),
  id_taken: N_("This was sent twice by mistake. Try again."),
  not_seated: N_("You do not sit at this table."),
  bad_seat: N_("There is no such seat for this."),
  seat_taken: N_("That seat is taken."),
  no_free_seat: N_("The table is full."),
  bad_nonce: N_("Your browser sent a bad random number. Reload the page."),
  bad_seal: N_("Your browser did not seal its part. Reload the page."),
  seal_used: N_("Your browser sealed with a number that was used before. Reload the page."),
  not_sealed: N_("Somebody's browser has not sealed its part yet. Try again in a moment."),
  unknown_rules: N_("This table needs a newer server than this one. Try again in a while."),
  opening: N_("The game is about to begin; wait a moment."),
  not_opening: N_("No start is waiting for this."),
  wrong_nonce: N_("This browser's number does not fit its seal."),
  already_open: N_("Your browser has confirmed already."),
  no_seals: N_("Seats at this table are not sealed."),
  missed_twice: N_("This table has waited for you twice in vain; sit down at another one."),
  bad_colour: N_("There is no such colour."),
  colour_taken: N_("Somebody else has that colour."),
  bad_level: N_("There is no such bot."),
  not_host: N_("Only the host may do this."),
  sit_to_begin: N_("Take a seat first: only somebody who plays can begin the game."),
  too_few: N_("At least two seats must be filled."),
  not_ready: N_("Not everybody is ready."),
  bad_options: N_("These options do not go together."),
  started: N_("The game has begun."),
  not_started: N_("The game has not begun."),
  stale: N_("The table has moved on; look again."),
  not_your_turn: N_("It is not your turn."),
  illegal: N_("The rules do not allow this now."),
  bad_action: N_("That is not an action."),
  game_over: N_("The game is over."),
  paused: N_("The game is paused."),
  not_paused: N_("The game is not paused."),
  time_up: N_("Your time had run out."),
  bot_plays: N_("A bot plays your seat; take it back first."),
  nothing_to_undo: N_("There is nothing to take back."),
  undo_blocked: N_("Something has become known since; that cannot be taken back."),
  not_absent: N_("Nobody is absent at that seat."),
  not_taken_over: N_("No bot plays your seat."),
  deal_sealed: N_("This is a game of the deal of the day: it is shown when that day is over, at midnight UTC."),
  deal_alone: N_("A deal of the day is played alone and has no rematch."),
  deal_unplayed: N_("Play this deal first: then you see how the others played it."),
  not_over: N_("Only after the game."),
  no_hints: N_("This table plays without hints."),
  chat_closed: N_("The host has closed the chat."),
  bad_text: N_("Write between 1 and 300 characters of plain text."),
  unknown_person: N_("Nobody here is called that."),
  closed: N_("This table was closed."),
  no_change: N_("It is like that already."),
  too_many_changes: N_("Too much has been changed at this table; play on, or open a new one."),
  chat_too_fast: N_("You write too fast; wait a moment before the next line."),
  hint_too_fast: N_("You have asked for many hints; wait a moment before the next one."),
  mute_too_fast: N_("You have muted and unmuted too often; wait a moment."),
  password_too_fast: N_("You have changed the password too often; wait a moment."),
  too_many_rooms: N_("You have opened as many tables as you may; finish or leave one first."),
  try_again: N_("The server could not answer that just now. Try again in a moment."),
  unconfirmed: N_("It is not certain whether that was done. Look before you try it again."),
  not_found: N_("There is nothing here."),
  forged: N_("This request did not come from a page of this site."),
  server_fault: N_("Something went wrong on our side. Nothing you did is lost; try again."),
  too_big: N_("That is too big."),
  bad_json: N_("This file is not JSON."),
  bad_position: N_("This is not a position of the game."),
  bad_seed: N_("This is not a seed: it has 64 digits from 0-9 and a-f."),
  bad_record: N_("This record does not hold together."),
  name_taken: N_("Somebody here has that name, or one that looks like it. Choose another."),
  name_hidden: N_("A name may not hold invisible, control or direction characters."),
  name_empty: N_("A name needs at least one letter."),
  name_long: N_("That name is too long."),
  name_characters: N_("A name is made of letters, digits, spaces and - ' . _ only."),
  name_scripts: N_("A name may not mix letters of different alphabets."),
  name_styled: N_("Use ordinary letters: a name may not contain small capitals or other styled letters."),
  name_official: N_("That name could be taken for someone who runs this site. Choose another."),
  name_reserved: N_("That name could be taken for a part of the game. Choose another."),
  wrong_login: N_("There is no account with this name and password."),
  wrong_code: N_("That code does not fit, is too old, or was used already."),
  has_account: N_("You have an account already."),
  account_needed: N_("This needs an account."),
  password_short: N_("That password is too short."),
  password_long: N_("That password is too long."),
  password_common: N_("That password is among the first anybody would try."),
  yourself: N_("You cannot do that to yourself."),
  bad_email: N_("That is not an e-mail address."),
  bad_webhook: N_("That address cannot be called."),
  no_push: N_("This server sends no notices to browsers."),
  bad_endpoint: N_("This browser's push service cannot be reached from here."),
  bad_zone: N_("That time zone is not known here."),
  endpoint_taken: N_("Somebody else was told in this browser. Switch it off and on again."),
  not_played_together: N_("You can invite only players you have finished a game with."),
  too_many_invitations: N_("Enough people were invited to this table."),
  mail_failed: N_("The e-mail could not be sent. Try again later."),
  offline: N_("The server cannot be reached. Check your connection and try again."),
};

/** The sentence for what a server refused; those of the rules are loaded when the first such refusal comes. */
export async function fullRefusal({ code, message, why, params = {} }) {
  if (!why) return refusal(code, message);
  if (why === "unconfirmed") return refusal(why);
  const [names] = await Promise.all([import("./names.js"), wholeCatalogue()]);
  const sentence = reason(why);
  if (!sentence) return refusal(code, message);
  const say = { card: names.cardName, symbol: names.symbolName };
  return t(sentence, Object.fromEntries(Object.entries(params).map(([name, value]) => [name, say[name]?.(value) ?? value])));
}

/** The sentence for a code: translated, and with the server's own words where they say more. */
export function refusal(code, message = "") {
  const sentence = SENTENCES[code];
  if (!sentence) return t(message) || t("That did not work.");
  const own = t(message);
  if (TELLING.has(code) && message && (language() === "en" || own !== message)) return own;
  return t(sentence);
}
