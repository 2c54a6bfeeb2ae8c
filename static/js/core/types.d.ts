// Types of the values that scripts exchange with the server (docs/protocol.md, docs/interchange.md) and each other.
// Only the type checker reads this file (`make types`); no page loads it.

// -- the game -------------------------------------------------------------------------------------------------------

/** The number of a space, or a landmark. */
export type Place = number | "start" | "sloop" | "goal";
/** The name of a symbol, followed by "*" for a dark card. */
export type Card = string;
export type Colour = "red" | "blue" | "yellow" | "green" | "violet";
export type Scenario = "passage" | "jungle" | "complete";
export type SymbolSet = "classic" | "escape";
export type Haven = "cartagena" | "tortuga";
/** Chest tokens by space; null if the token is hidden. */
export type Chests = Record<string, string | null>;

export interface Options {
  preset: string;
  players: number;
  symbols: SymbolSet;
  hands: "hidden" | "open";
  supply: "deck" | "row";
  row_size: number;
  copies: number;
  scenario: Scenario;
  passage_boards: number;
  jungle_boards: number;
  board: "printed" | "random";
  pirates: number;
  actions: number;
  min_actions: number;
  relief: string;
  card_gain: "retreat" | "morgan" | "both" | "split";
  scoundrels: boolean;
  black_magic: boolean;
  first: "random" | number;
}

export interface Player {
  /** Null if the viewer may not see it. */
  hand: Card[] | null;
  /** The size of the hand; absent after the end of the game. */
  cards?: number;
  pirates: Place[];
  resigned: boolean;
}

/** A choice that must be made before anything else can happen. */
export type Pending = Exact<
  | { kind: "steal"; seat: number; from: number; dark: boolean }
  | { kind: "share"; seat: number; cards: Card[] | null; count?: number; dark: boolean }
  | { kind: "stack"; seat: number; cards: Card[] | null; count?: number; dark: boolean }
  | { kind: "discard"; owed: Record<string, number> }
>;

export type PendingOf<K extends Pending["kind"]> = Extract<Pending, { kind: K }>;

/** The game as one audience may see it. */
export interface View {
  options: Options;
  seed: string | null;
  board: string[];
  players: Player[];
  /** The number of cards while the game runs, the cards afterwards. */
  deck: number | Card[];
  row: Card[];
  discard: Card[];
  shuffles: number;
  sloop: Haven | null;
  chests: Chests;
  chests_aside: number | string[];
  chest_shuffles: number;
  turn: { seat: number; taken: number; captain_used: boolean };
  forced_passes: number;
  pending: Pending | null;
  winner: number | null;
}

type EventKinds =
  | { type: "advanced"; seat: number; card: Card; from: Place; to: Place }
  | { type: "retreated"; seat: number; from: Place; to: Place }
  | { type: "morgan_moved"; seat: number; player: number; from: Place; to: Place }
  | { type: "sailed"; seat: number; to: Haven; free: boolean }
  | { type: "rested"; seat: number }
  | { type: "cards_drawn"; seat: number; source: "deck" | "row"; cards: Card[] | null; count: number }
  | { type: "row_laid"; cards: Card[] }
  | { type: "deck_shuffled"; count: number }
  | { type: "turn_passed"; seat: number; next: number; forced: boolean }
  | { type: "stalemate_broken" }
  | { type: "resigned"; seat: number; cards: Card[] }
  | { type: "pistol_aimed"; seat: number; card: Card; player: number; hand: Card[] | null }
  | { type: "card_stolen"; seat: number; from: number; card: Card | null }
  | { type: "steal_lapsed"; seat: number; from: number }
  | { type: "rum_poured"; seat: number; card: Card }
  | { type: "lantern_lit"; seat: number; card: Card }
  | { type: "choice_dealt"; seat: number; cards: Card[] | null; count: number }
  | {
      type: "cards_shared";
      seat: number;
      keep: Card[] | null;
      kept: number;
      give: Record<string, Card | null>;
    }
  | { type: "cards_stacked"; seat: number; keep: Card | null; back: Card[] | null; count: number }
  | { type: "parrot_advanced"; seat: number; cards: Card[]; as: string; from: Place; to: Place }
  | { type: "hook_advanced"; seat: number; card: Card; with: Card; from: Place; to: Place }
  | { type: "chest_opened"; seat: number; card: Card; from: number; token: string }
  | { type: "snake_struck"; seat: number; from: Place; to: Place }
  | { type: "chests_laid"; spaces: number[]; aside: number }
  | { type: "discard_owed"; owed: Record<string, number> }
  | { type: "cards_discarded"; seat: number; cards: Card[] }
  | { type: "pending_discarded"; cards: Card[] }
  | {
      type: "game_won";
      seat: number;
      reason: string;
      /** These five are absent for a deal of the day. */
      hands?: Card[][];
      seed?: string;
      deck?: Card[];
      chests?: Chests;
      chests_aside?: string[];
    };

/** An event of the game. Fields that the audience may not know are null. */
export type GameEvent = Exact<EventKinds>;
export type EventType = EventKinds["type"];
export type EventOf<T extends EventType> = Extract<GameEvent, { type: T }>;
/** An event that moves a pirate. */
export type MoveEvent = Extract<GameEvent, { from: Place; to: Place }>;

export type Action = Exact<
  | { type: "advance"; card: Card; from: Place }
  | { type: "retreat"; from: Place }
  | { type: "morgan"; player: number; from: Place }
  | { type: "sail" }
  | { type: "draw" }
  | { type: "end" }
  | { type: "resign" }
  | { type: "pistol"; card: Card; player: number }
  | { type: "steal"; card: Card }
  | { type: "rum"; card: Card }
  | { type: "lantern"; card: Card }
  | { type: "share"; keep: Card[]; give: Record<string, Card> }
  | { type: "stack"; keep: Card; back: Card[] }
  | { type: "parrot"; cards: Card[]; as: string; from: Place }
  | { type: "hook"; card: Card; with: Card; from: Place }
  | { type: "chest"; card: Card; from: number }
  | { type: "discard"; cards: Card[]; count?: number }
>;
export type ActionType = Action["type"];
export type ActionOf<T extends ActionType> = Extract<Action, { type: T }>;

/** A legal action, as listed by the server. */
export interface Choice {
  action: Action;
  to?: Place;
  draws?: number;
  final?: boolean;
}

/** Who acted. Absent on the wire for a person. */
export type Actor = "person" | "bot" | "clock";

// -- the table ------------------------------------------------------------------------------------------------------

export interface Seat {
  person: string | null;
  name: string | null;
  colour: Colour | null;
  ready: boolean;
  bot: string | null;
  absent: boolean;
  /** The person for whom the seat is reserved. */
  reserved: string | null;
}
/** The fields of a seat that give it a name and a colour. */
export type SeatLook = Partial<Pick<Seat, "person" | "name" | "colour" | "bot" | "reserved">>;
export type SeatLooks = readonly SeatLook[] | null | undefined;

export type ClockRule =
  | { kind: "none" }
  | { kind: "turn"; seconds: number }
  | { kind: "bank"; seconds: number; increment: number }
  | { kind: "days"; days: number };

/** Milliseconds left per seat at the time `at`, and the seats whose clocks have been running since. */
export interface Clock {
  left: (number | null)[];
  running: number[];
  at: number;
}

/** A start that waits for all players' browsers to open their seals. */
export interface Opening {
  seq: number;
  order: number[];
  options: Options;
  bots: (string | null)[];
  seals: (string | null)[];
  nonces: (string | null)[];
  asked: boolean;
  until: number;
}

export interface Result {
  winner: number | null;
  places: number[] | null;
  reason: string;
  /** Only of a rated game: the rank of each seat, null for bots, and the seats that ran out of time for good. */
  ranks?: (number | null)[];
  timed_out?: number[];
}

/** A rating as it is shown. While it is uncertain, its deviation is not shown. */
export interface ShownRating {
  number: number;
  deviation: number;
  uncertain: boolean;
}
export type RatingPool = "duel-open" | "duel-hidden" | "group-open" | "group-hidden";
/** `GET /api/v1/games/{id}/seat-ratings`. */
export interface SeatRating extends ShownRating {
  seat: number;
}
export interface SeatChange {
  seat: number;
  rank: number;
  before: ShownRating;
  after: ShownRating;
}
/** `GET /api/v1/games/{id}/ratings`. `void`: why the game was not counted. */
export interface GameRatings {
  counted: boolean;
  pool: RatingPool | null;
  weight: number;
  void: string | null;
  changes: SeatChange[];
  hidden: boolean;
}
export interface PoolRating extends ShownRating {
  pool: RatingPool;
  games: number;
  /** The highest number that was not uncertain. */
  best: number | null;
  last_at: number;
  place: number | null;
}
/** The bot level that a player plays like. `lowest` and `highest` are the ends of a 95 % interval. */
export interface PoolLevel {
  pool: RatingPool;
  level: string;
  lowest: string;
  highest: string;
  games: number;
  bot_version: string;
}
/** `GET /api/v1/players/{id}/ratings`. */
export interface PlayerRatings {
  ratings: PoolRating[];
  plays_like: PoolLevel[];
  hidden: boolean;
}
export interface RatingPoint {
  at: number;
  number: number;
  deviation: number;
}
/** `GET /api/v1/ratings/{pool}`. */
export interface Leaderboard {
  pool: RatingPool;
  bounds: { games: number; deviation: number; days: number };
  rows: Leader[];
  more: boolean;
  hidden: boolean;
}
export interface Leader extends ShownRating {
  place: number;
  person: string;
  name: string;
  games: number;
  last_at: number;
}
/** `GET /api/v1/me/ratings`. */
export interface RatingSettings {
  hides_ratings: boolean;
  withheld: boolean;
}

export type TableStatus = "open" | "running" | "finished" | "aborted" | "closed";

export interface Table {
  id: string;
  title: string;
  status: TableStatus;
  options: Options;
  rules_version: number;
  visibility: string;
  locked: boolean;
  spectators: boolean;
  clock: ClockRule | null;
  on_timeout: string;
  absence: number;
  hints: boolean;
  pace: number;
  bot_level: string;
  host: string | null;
  commitment: string;
  server_seed: string | null;
  scheme: number;
  nonces: (string | null)[];
  seats: Seat[];
  consents: Record<string, number[]>;
  votes: Record<string, Record<string, string>>;
  paused: boolean;
  chat_closed: boolean;
  result: Result | null;
  next: string | null;
  next_commitment: string | null;
  /** These four exist only if seats are sealed. */
  seals?: (string | null)[];
  opening?: Opening | null;
  void_rounds?: number;
  void_why?: "late" | "lost" | "left" | null;
  removed_until?: number;
  closed_why?: "host" | "empty" | "operator";
  /** The day, if this is a deal of the day. */
  deal?: string;
  /** Only after a rematch. */
  series?: { after: string; wins: number[] | null; begins: number | null } | null;
  /** Only if the table was opened from a big screen. */
  screen?: { begins: number | null };
  /** Only at a rated table: before the start, whether the game would count with the people seated now. */
  rated?: { pool: RatingPool; counts: boolean };
  /** Set by table/trial.js and table/analysis.js, never by the server: a trial from a finished game, or an analysis. */
  trial?: { step: number; code?: string };
}

export interface You {
  seat: number | null;
  person: string | null;
  name: string | null;
  muted: string[];
  removed: boolean;
  /** Only if removed: when this person may sit down again. */
  removed_until?: number;
}

export interface Presence {
  /** Null for bots and empty seats. */
  seats: (boolean | null)[];
  watching: number;
  /** By seat: the time at which it will count as absent. */
  away: Record<string, number>;
}

export interface ChatLine {
  n: number;
  at: number;
  channel: "players" | "spectators";
  /** This and the following fields are absent if the line is not for this viewer. */
  person?: string;
  name?: string | null;
  seat?: number | null;
  preset?: string;
  text?: string;
}

// -- messages of the game socket ------------------------------------------------------------------------------------

/** Fields of every frame that has a sequence number. */
interface SequencedFrame {
  seq: number;
  at: number;
  choices?: Choice[];
  undo?: boolean;
  clock?: Clock;
}
export interface StateFrame extends SequencedFrame {
  t: "state";
  you: Partial<You>;
  table: Table;
  view: View | null;
}
export interface EventsFrame extends SequencedFrame {
  t: "events";
  events: GameEvent[];
  by?: Actor;
  table?: Table;
  ack?: string;
}
export interface TableFrame extends SequencedFrame {
  t: "table";
  kind: string;
  table: Table;
  seat?: number;
  why?: "stood" | "removed";
  /** Only if a person was removed. */
  removed_until?: number;
  you?: Partial<You>;
  view?: View | null;
  ack?: string;
}
export interface WelcomeFrame {
  t: "welcome";
  v: number;
  game: string;
  seq: number;
  now: number;
  resumed: boolean;
  you: Partial<You>;
  presets?: string[];
}
export interface RefusedFrame extends Refusal {
  t: "refused";
  id: string | null;
  message: string;
  seq?: number;
  state?: StateFrame;
}
export interface HintFrame {
  t: "hint";
  seq?: number;
  action: Action;
  why?: string;
  params?: Record<string, number>;
  ack?: string;
}
/** The answer to `why`: the refusal that a click comes nearest to. */
export interface WhyFrame extends Refusal {
  t: "why";
  ack: string;
  message: string;
}
export type Frame = Exact<
  | WelcomeFrame
  | StateFrame
  | EventsFrame
  | TableFrame
  | { t: "ack"; ack: string; seq?: number; chat?: number }
  | RefusedFrame
  | ({ t: "chat" } & ChatLine)
  | { t: "presence"; seats: (boolean | null)[]; watching: number; away?: Record<string, number> }
  | HintFrame
  | WhyFrame
  | { t: "pong"; n: number; now: number }
  | { t: "bye"; code: string; message: string }
>;
export type FrameOf<T extends Frame["t"]> = Extract<Frame, { t: T }>;

/** A refusal, over a socket or over HTTP. */
export interface Refusal {
  code: string;
  message?: string;
  why?: string;
  params?: Record<string, string | number>;
}

/** A message from the page. `do` names the command; the rest are its fields. */
export interface Command {
  do: string;
  id?: string;
  [field: string]: unknown;
}
export type Send = (command: Command) => Promise<unknown>;

/** The fields of `hello` except the version. */
export interface Hello {
  seq?: number;
  chat?: number;
  password?: string;
  watch?: boolean;
}
export type StatusDetail = { code?: number | string; message?: string; why?: string; resumed?: boolean };
export interface SocketHandlers {
  hello: () => Hello;
  onFrame: (frame: Frame) => void;
  onStatus: (status: string, detail: StatusDetail) => void;
}
export interface GameSocket {
  send: Send;
  sendOneWay: (message: Command) => void;
  resync: () => void;
  reconnect: () => void;
  reopen: () => void;
  close: () => void;
  now: () => number;
}

// -- messages of the lobby socket -----------------------------------------------------------------------------------

export type LobbyList = "mine" | "open" | "watch";
export interface LobbyRoom {
  id: string;
  title?: string;
  preset: string;
  status?: TableStatus;
  seats: number;
  taken: number;
  bots: number;
  names?: (string | null)[];
  watching?: number;
  waiting?: number;
  clock: string;
  variant?: string[];
  locked?: boolean;
  rated?: boolean;
  my_turn?: boolean;
  due?: number;
  at?: number;
}
export type LobbyMessage =
  | { t: "welcome"; now: number }
  | ({ t: "lobby"; people?: number } & Partial<Record<LobbyList, LobbyRoom[]>>)
  | { t: "room"; list: LobbyList; room: LobbyRoom }
  | { t: "gone"; list: LobbyList; id: string }
  | { t: "pong"; n: number; now: number }
  | ({ t: "refused" } & Refusal)
  | { t: "bye" };

// -- answers over HTTP ----------------------------------------------------------------------------------------------

export interface Person {
  id: string;
  name: string;
  is_account?: boolean;
  since?: number;
}

/** One action of a game, with its events. */
export interface Step {
  seq: number;
  seat: number | null;
  at?: number;
  by: Actor;
  marks?: string[];
  events: GameEvent[];
  /** Present only if it cannot be computed from the previous view. */
  view?: View;
}
/** `GET /g/{id}/seen`, `POST /replay/steps`. */
export interface Replay {
  view: View;
  steps: Step[];
  began: number;
  seq: number;
  over?: boolean;
}

export interface VoidRound {
  seals: (string | null)[];
  nonces: (string | null)[];
  missing: number[];
}

/** A game record (docs/interchange.md). A file may contain anything, so the verifier must not rely on any field. */
export interface GameRecord {
  format: string;
  rules_version: number;
  options: Options;
  commitment: string;
  server_seed: string;
  nonces: string[];
  scheme?: number;
  seals: (string | null)[];
  void_rounds: VoidRound[];
  deal?: string;
  rated?: true;
  players: { name: string; bot: string | null }[];
  actions: { seat: number; action: Action; at: number; by: Actor; marks: string[] }[];
  result: Result;
}

/** `GET /api/v1/games/{id}/review`. */
export interface ReviewTurn {
  turn: number;
  seat: number;
  first_step: number;
  step: number;
  chances: number[];
  luck: number;
  loss: number;
  better: GameEvent[] | null;
  /** Why it was better; absent from older servers. */
  better_why?: { why: string; params: { n: number; other: number } } | null;
}
export interface Review {
  start: number[];
  turns: ReviewTurn[];
  turning_points: number[];
  luck: number[];
  loss: number[];
  /** The result minus this is the luck-adjusted result; null if no card came from the deck. */
  result_luck: number[] | null;
  result_error: number | null;
  hints: number[];
}

/** The position of a lesson or an example after the given actions. */
export interface Practice {
  before: View;
  view: View;
  events: GameEvent[];
  choices: Choice[];
  show: Action;
  then: Action[];
  done: boolean;
}

/** The public description of a deal of the day. */
export interface DealEdition {
  preset: string;
  variant: string[];
  opponents: string[];
  commitment: string;
  scenario: string;
}
export interface DealTry {
  game: string;
  n: number;
  counts: boolean;
  is_over: boolean;
  is_late: boolean;
  how: string | null;
  turns: number;
  /** Per turn: how far all pirates have come in total. */
  line: { spaces: number }[];
}
/** `GET /api/v1/deal`. */
export interface Deal extends DealEdition {
  day: string;
  today: string;
  now: number;
  ends_at: number;
  is_over: boolean;
  made_at: number;
  was_early: boolean;
  server_seed: string | null;
  tomorrow: DealEdition | null;
  tries: DealTry[];
  streak: { days: number; best: number; today: boolean };
  statistics: { played: number; won: number; best_turns: number | null; average_turns: number | null };
}
export interface DealRow {
  place: number;
  person: string;
  name: string | null;
  is_me: boolean;
  how: string | null;
  turns: number;
  spaces: number;
  /** Null for others' games until the day is over. */
  game: string | null;
}
export interface DealTurn {
  spaces: number;
  gained: number;
  home: number;
  behind: number;
  level: number;
  ahead: number;
  same: number;
}
export interface Comparison {
  others: number;
  parting: {
    turn: number;
    others: number;
    usual: number;
    played_actions: Action[];
    /** Only when the day is over. */
    instead_actions?: Action[];
  } | null;
  turns: DealTurn[];
}
/** The numbers of results by kind; `won` has [turns, count] pairs. */
export interface DealDistribution {
  won: [number, number][];
  beaten: number;
  given_up: number;
}
/** The bots' own result. */
export interface DealPar {
  level: string;
  how: string | null;
  turns: number;
  spaces: number;
}
/** `GET /api/v1/deal/{day}/results`. */
export interface DealResults {
  accounts: { total: number; rows: DealRow[] };
  guests: { total: number; rows: DealRow[] };
  comparison: Comparison | null;
  distribution: DealDistribution;
  standing: { others: number; worse: number; equal: number } | null;
  par: DealPar | null;
}

/** A game in a person's list of games. */
export interface PlayedGame {
  id: string;
  title: string;
  preset: string;
  variant: string[];
  status: TableStatus;
  /** The day, if it was a deal of the day. */
  deal?: string | null;
  place: number | null;
  my_turn?: boolean;
  rated?: boolean;
  /** The seat of the list's owner. */
  my_seat?: number | null;
  created_at: number;
  ended_at: number | null;
  players: {
    person: string | null;
    name: string | null;
    bot: string | null;
    colour: Colour | null;
    place: number | null;
  }[];
}
/** `GET /api/v1/players/{id}`. */
export interface Profile {
  player: Required<Person>;
  results: { preset: string; played: number; won: number; places: number[] }[];
  favourite: { preset: string | null; colour: Colour | null };
  between: { played: number; won: number; lost: number } | null;
  games: PlayedGame[];
  more: boolean;
  can_invite: boolean;
  relation: Relation | null;
  can_ask: boolean;
  is_blocked: boolean;
  note: string;
}

/** The reader and another person: the reader has asked, the other asks the reader, or both are friends. */
export type Relation = "none" | "asked" | "asks_you" | "friends";
/** What friends may see of the reader. */
export interface Visibility {
  online: boolean;
  seen: boolean;
}
/** A table of a friend. */
export interface FriendTable {
  id: string;
  preset: string;
  way: "play" | "join" | "watch";
  seats: number;
  taken: number;
}
/** A friend on the page of friends. */
export interface Friend {
  id: string;
  name: string;
  since: number;
  online: boolean | null;
  seen_at: number | null;
  note: string;
  tables: FriendTable[];
}
/** A request, with the other person of it. */
export interface FriendRequest {
  id: string;
  name: string;
  at: number;
}
/** The answer of /friends. */
export interface FriendLists {
  friends: Friend[];
  requests: FriendRequest[];
  sent: FriendRequest[];
  invitations: { game: string; preset: string; by: { id: string; name: string }; at: number }[];
  visibility: Visibility;
}
/** Tables to which a friend can be invited. */
export interface TablesToShare {
  open: { id: string; title: string; preset: string; seats: number; taken: number }[];
  last: { id: string; preset: string; seats: number; company: string[] } | null;
}

/** Which notices a person wants, and when. */
export interface NoticeWishes {
  switches: Record<string, boolean>;
  quiet: [number, number] | null;
  digest_at: number | null;
  every_channel: boolean;
  zone: string;
}
/** The channels over which a person gets notices. */
export interface NoticeChannels {
  mail: boolean;
  webhooks: boolean;
  email: string | null;
  email_confirmed: boolean;
  webhook: string | null;
  webhook_key: string | null;
  webhook_failures: number;
  webhook_form: string;
}

/** A game loaded for the replay or review page. `record` is null while the game runs. */
export interface LoadedGame {
  replay: Replay;
  seats: readonly SeatLook[];
  viewer: number | null;
  record: GameRecord | null;
  table: Table | null;
  you?: You;
}

// -- the state of a page --------------------------------------------------------------------------------------------

/** What the player has selected on the table page. */
export interface Selection {
  card?: Card;
  from?: Place;
}
/** The result of a click (table/selection.js): an action, or a new selection with the candidates that fit it. */
export interface ClickResult {
  action?: Action;
  candidates?: Choice[] | null;
  selection?: Selection;
}
/** One move on the map. `seat` is the pirate's. */
export interface Trace {
  from: Place;
  to: Place;
  seat: number;
}
export interface LogLine {
  seq: number;
  text: string;
  texts?: string[];
  seat: number | null;
  traces: Trace[];
}

/** A client's copy of a room. */
export interface Room {
  seq: number | null;
  /** The server's seq in its last welcome. */
  serverSeq: number | null;
  chat: number | null;
  game: string | null;
  you: You;
  table: Table | null;
  view: View | null;
  choices: Choice[];
  undo: boolean;
  clock: Clock | null;
  chatLines: ChatLine[];
  presence: Presence;
  chatPresets: string[];
  hint: Action | null;
  hintWhy: { why?: string; params?: Record<string, number> } | null;
}

export interface PastPosition {
  view: View;
  traces: Trace[];
  isPlayback: boolean;
}

/** The whole state of the table page. */
export interface State extends Room {
  log: LogLine[] | null;
  connection: string;
  isAdmitted: boolean;
  password: string | undefined;
  refusal: { text: string } | null;
  isWaiting: boolean;
  selection: Selection;
  candidates: Choice[] | null;
  trace: Trace | null;
  recap: Trace[] | null;
  past: PastPosition | null;
  pace: string | null;
  isSkipping: boolean;
  isSoundOffered: boolean;
  /** At a rated table: the ratings by seat, once they are known. */
  plateRatings: Record<number, PlateRating> | null;
}
export interface PlateRating {
  text: string;
  words: string;
}
/** What the player clicked, with what was selected then: the fields of the command `why`. */
export interface Click {
  card?: Card;
  /** The place of the selected pirate. */
  pirate?: Place;
  place?: Place;
  player?: number;
  supply?: boolean;
  power?: boolean;
}
/** The state once the table is known. */
export interface TableState extends State {
  seq: number;
  table: Table;
}
/** The state once the game has begun. */
export interface GameState extends TableState {
  view: View;
}

/** The state that an embed shows. */
export type EmbedState = Pick<TableState, "table" | "view">;
/** How an embed arrived at the state that it shows. */
export interface EmbedChange {
  events?: GameEvent[];
  before?: View | null;
  by?: Actor;
  text?: string;
}

/** What caused a change of the state. */
export interface Cause {
  events?: GameEvent[];
  by?: Actor;
  at?: number;
  kind?: string;
  seat?: number;
  before?: View | null;
  reset?: boolean;
  resync?: boolean;
  refused?: FrameOf<"refused">;
  line?: LogLine;
}
export type Subscriber = (state: State, before: State, cause: Cause) => unknown;
export interface StateStore {
  readonly state: State;
  set: (change: Partial<State>, cause?: Cause) => void;
  subscribe: (fields: (keyof State)[], call: Subscriber) => void;
}

// -- the board ------------------------------------------------------------------------------------------------------

export interface Point {
  x: number;
  y: number;
}
export interface Box extends Point {
  w: number;
  h: number;
}
export type Side = "passage" | "jungle";
export interface Space extends Point {
  space: number;
  side: Side;
  board: number;
  plate: Point;
  d: string;
}
/** The layout of the map (board/layout.js). */
export interface Plan {
  width: number;
  height: number;
  unit: number;
  spaces: Space[];
  sides: { side: Side; top: number; bottom: number; road: string }[];
  start: Box;
  goal: Box;
  sloop: { top: number; bottom: number; cartagena: Box; tortuga: Box; dock: Point; landing: Point } | null;
  bare: { ux: number; uy: number; x: number; y: number; room: number; pick: number }[];
}
export interface PlaceOnMap extends Point {
  group: SVGElement;
}
export type Places = Map<Place, PlaceOnMap>;
export interface Arrow {
  from: Place;
  to: Place;
  kind: "played" | "better";
  n: number;
}
export interface Target {
  place: Place;
  cards?: Card[];
  draws?: number;
  note?: string;
}
/** Highlights and arrows on the map. */
export interface MapMarks {
  selected?: Place;
  sources?: Place[];
  targets?: Target[];
  traces?: { from: Place; to: Place; look?: number }[];
  recap?: { from: Place; to: Place; look?: number }[];
  arrows?: Arrow[];
}

// -- elements -------------------------------------------------------------------------------------------------------

/** The value of an attribute, or a listener if the name starts with "on". */
export type Attribute = string | number | boolean | null | undefined | ((event: never) => unknown);
export type Attributes = Record<string, Attribute>;
export type Child = Node | string | null | undefined | false | 0;
/** The type of the element for a tag that may have classes: "button.quiet". */
export type ElementOf<T extends string> = T extends `${infer Tag}.${string}`
  ? ElementOf<Tag>
  : T extends keyof HTMLElementTagNameMap
    ? HTMLElementTagNameMap[T]
    : HTMLElement;

declare global {
  /** The browser's install prompt, deferred by pages/shell.js. */
  var deferredInstallPrompt: InstallPromptEvent | null | undefined;
  interface WindowEventMap {
    beforeinstallprompt: InstallPromptEvent;
  }
}
export interface InstallPromptEvent extends Event {
  prompt: () => Promise<unknown>;
}

// -- helpers --------------------------------------------------------------------------------------------------------

type KeysOf<T> = T extends unknown ? keyof T : never;
type Only<T, K extends PropertyKey> = T extends unknown
  ? T & { [Missing in Exclude<K, keyof T>]?: undefined }
  : never;
/** A union in which every field can be read; it is undefined in members that lack it. */
export type Exact<T> = Only<T, KeysOf<T>>;
