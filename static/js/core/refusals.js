// Refusals as translated sentences: by the reason of the rules if there is one, else by code. An unknown code shows the
// server's own sentence.

/** @import {Refusal} from "./types.d.ts" */

import { language, loadWholeCatalogue, N_, refusalReason, t } from "./i18n.js";

// Codes for which the server's sentence is more specific than the one below.
const CODES_WITH_OWN_TEXT = new Set([
  "illegal",
  "bad_options",
  "bad_name",
  "bad_request",
  "bad_record",
  "wrong_login",
]);

/** @type {Record<string, string>} */
export const SENTENCES = {
  bad_message: N_("The server did not understand this message."),
  too_fast: N_("You are going too fast; wait a moment."),
  too_many: N_("You are going too fast. Wait a moment and try again."),
  hello_first: N_("The connection was not ready. Try again."),
  password_required: N_("We can't find this table. Check the link or ask for a new one."),
  password_wrong: N_("That password is wrong, or there is no such table."),
  not_locked: N_("This table has no password."),
  no_spectators: N_("This table does not allow spectators."),
  no_session: N_("Choose a name first."),
  who_are_you: N_("Choose a name first."),
  banned: N_("The operator of this server has banned you."),
  no_newcomers: N_("No new players can join from your address at the moment. Log in, or try again tomorrow."),
  blocked: N_("Someone at this table does not want to play with you."),
  id_taken: N_("This was sent twice by mistake. Try again."),
  not_seated: N_("You do not have a seat at this table."),
  bad_seat: N_("There is no such seat."),
  seat_taken: N_("That seat is taken."),
  no_free_seat: N_("The table is full."),
  removed: N_("The host has removed you. Wait ten minutes, or ask the host to let you sit down again."),
  bad_nonce: N_("Your browser sent a bad random number. Reload the page."),
  bad_seal: N_("Your browser did not seal its part. Reload the page."),
  seal_used: N_("Your browser sealed with a number that was used before. Reload the page."),
  not_sealed: N_("Another player's browser has not sealed its part yet. Try again in a moment."),
  unknown_rules: N_("This table needs a newer server than this one. Try again later."),
  opening: N_("The game is about to start; wait a moment."),
  not_opening: N_("The game is not about to start."),
  wrong_nonce: N_("This browser's number does not match its seal."),
  already_open: N_("Your browser has already confirmed."),
  no_seals: N_("Seats at this table are not sealed."),
  account_required: N_("This table is rated. Log in or create an account to sit down."),
  missed_twice: N_("This table has already waited for you twice; join another one."),
  bad_colour: N_("There is no such colour."),
  colour_taken: N_("Another player has that colour."),
  bad_level: N_("There is no such bot."),
  not_host: N_("Only the host may do this."),
  sit_to_begin: N_("Take a seat first: only a player can start the game."),
  too_few: N_("At least two seats must be filled."),
  not_ready: N_("Not everyone is ready."),
  bad_options: N_("These options do not go together."),
  started: N_("The game has already started."),
  not_started: N_("The game has not started yet."),
  stale: N_("The game has moved on; look again."),
  not_your_turn: N_("It is not your turn."),
  illegal: N_("The rules do not allow this now."),
  bad_action: N_("That is not an action."),
  game_over: N_("The game is over."),
  paused: N_("The game is paused."),
  not_paused: N_("The game is not paused."),
  time_up: N_("Your time has run out."),
  bot_plays: N_("A bot is playing for you; take your seat back first."),
  nothing_to_undo: N_("There is nothing to undo."),
  undo_blocked: N_("You cannot undo that: something has been revealed since."),
  not_absent: N_("The player in that seat is not absent."),
  not_taken_over: N_("No bot is playing for you."),
  deal_sealed: N_(
    "This game is part of a deal of the day. You can see it when that day is over, at midnight UTC.",
  ),
  deal_alone: N_("You play a deal of the day alone, and it has no rematch."),
  deal_unplayed: N_("Play this deal first; then you can see how others played it."),
  not_over: N_("You can do that only after the game."),
  no_hints: N_("This table does not allow hints."),
  chat_closed: N_("The host has closed the chat."),
  bad_text: N_("Write between 1 and 300 characters of plain text."),
  unknown_person: N_("No one here has that name."),
  closed: N_("This table was closed."),
  no_change: N_("It is already like that."),
  too_many_changes: N_("There have been too many changes at this table; play on, or create a new one."),
  chat_too_fast: N_("You are writing too fast; wait a moment before your next message."),
  hint_too_fast: N_("You have asked for many hints; wait a moment before the next one."),
  mute_too_fast: N_("You have muted and unmuted too often; wait a moment."),
  password_too_fast: N_("You have changed the password too often; wait a moment."),
  too_many_rooms: N_("You already have as many tables as you are allowed; finish or leave one first."),
  try_again: N_("The server could not do that just now. Try again in a moment."),
  unconfirmed: N_("We do not know whether that worked. Check before you try again."),
  not_found: N_("There is nothing here."),
  forged: N_("This request did not come from a page of this site."),
  server_fault: N_("Something went wrong on our side. Nothing you did is lost; try again."),
  too_big: N_("That is too big."),
  bad_json: N_("This file is not JSON."),
  bad_position: N_("This is not a valid position."),
  bad_seed: N_("This is not a seed: a seed has 64 characters from 0-9 and a-f."),
  bad_record: N_("This record is not consistent."),
  name_taken: N_("Someone already has that name, or one that looks like it. Choose another."),
  name_hidden: N_("A name may not contain invisible, control or direction characters."),
  name_empty: N_("A name needs at least one letter."),
  name_long: N_("That name is too long."),
  name_characters: N_(
    "A name may contain only letters, digits, spaces, hyphens, apostrophes, full stops and underscores.",
  ),
  name_scripts: N_("A name may not mix letters from different alphabets."),
  name_styled: N_("Use ordinary letters: a name may not contain small capitals or other styled letters."),
  name_official: N_("That name could be mistaken for someone who runs this site. Choose another."),
  name_reserved: N_("That name could be mistaken for a part of the game. Choose another."),
  wrong_login: N_("There is no account with this name and password."),
  wrong_code: N_("That code is wrong, has expired, or has already been used."),
  has_account: N_("You already have an account."),
  account_needed: N_("You need an account for this."),
  password_short: N_("That password is too short."),
  password_long: N_("That password is too long."),
  password_common: N_("That password is one of the first anyone would try."),
  yourself: N_("You cannot do that to yourself."),
  bad_email: N_("That is not an e-mail address."),
  bad_webhook: N_(
    "That address cannot be used for a webhook. Use an https address that is open to the internet, on port 443 or 8443.",
  ),
  no_push: N_("This server does not send notifications to browsers."),
  bad_endpoint: N_("This server cannot reach your browser's push service."),
  bad_zone: N_("That time zone is not known."),
  endpoint_taken: N_(
    "Notifications in this browser were set up for another player. Switch them off and on again.",
  ),
  not_played_together: N_("You can invite only your friends and players you have finished a game with."),
  friends_need_account: N_(
    "To have friends, you need an account. Create one on the account page; your games come along.",
  ),
  friend_is_guest: N_("This player plays as a guest. Only players with an account can be friends."),
  you_blocked: N_("You have blocked this player. Unblock them on your account page first."),
  too_many_friends: N_("You have as many friends as this site allows. Remove one first."),
  friend_list_full: N_("This player has as many friends as this site allows."),
  too_many_requests: N_(
    "Too many of your requests have no answer yet. Withdraw one on your friends page first.",
  ),
  too_many_notes: N_("You have as many notes as this site allows. Delete one first."),
  too_many_invitations: N_("Too many people have already been invited to this table."),
  mail_failed: N_("The e-mail could not be sent. Try again later."),
  offline: N_("The server cannot be reached. Check your connection and try again."),
};

/**
 * Sentences for tables in the lobby, whose existence is no secret.
 * @type {Record<string, string>}
 */
const LISTED_SENTENCES = {
  password_required: N_("This table needs a password."),
  password_wrong: N_("That password is wrong."),
};

/**
 * Return the sentence for a refusal. Names and the sentences of the rules are loaded on demand.
 * @param {Refusal} refusal
 */
export async function describeRefusal({ code, message, why, params = {} }) {
  if (!why) return describeRefusalCode(code, message);
  if (why === "unconfirmed") return describeRefusalCode(why);
  if (why === "listed") return t(LISTED_SENTENCES[code]);
  const [names] = await Promise.all([import("./names.js"), loadWholeCatalogue()]);
  const sentence = refusalReason(why);
  if (!sentence) return describeRefusalCode(code, message);
  /** @type {Record<string, (name: string) => string>} */
  const say = { card: names.cardName, symbol: names.cardName };
  return t(
    sentence,
    Object.fromEntries(
      Object.entries(params).map(([name, value]) => [name, say[name]?.(String(value)) ?? value]),
    ),
  );
}

/**
 * Return the sentence for a code, or the server's own if it is more specific and translated.
 * @param {string} code
 * @param {string} [message]
 */
export function describeRefusalCode(code, message = "") {
  const sentence = SENTENCES[code];
  if (!sentence) return t(message) || t("That did not work.");
  const own = t(message);
  if (CODES_WITH_OWN_TEXT.has(code) && message && (language() === "en" || own !== message)) return own;
  return t(sentence);
}
