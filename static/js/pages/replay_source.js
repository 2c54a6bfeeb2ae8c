// Where a replay comes from: a finished game's record, a record file, or what one has seen of a running game.
import { foldAll } from "../fold.js";
import { get, Refused } from "./api.js";
import { refusal } from "./refusals.js";

/** Have the rules play a record through for one pair of eyes: "all", null (a spectator) or a seat. */
export async function playThrough(record, eyes = "all") {
  const answer = await fetch("/replay/steps", {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/json" },
    body: JSON.stringify({ record, eyes }),
  }).catch(() => null);
  if (!answer) throw new Refused(0, "offline", refusal("offline"));
  const body = await answer.json().catch(() => null);
  if (answer.ok) return body;
  const { code = "error", message = "" } = body?.error ?? {};
  throw new Refused(answer.status, code, refusal(code, message));
}

/** All views of a replay, the opening first. */
export function viewsOf({ view, steps }, viewer) {
  const views = [view];
  for (const step of steps) {
    views.push(step.view ?? foldAll(views[views.length - 1], step.events, viewer));
  }
  return views;
}

/** Read server-sent events until the head of the log is reached. */
async function framesUntil(room, head) {
  const stop = new AbortController();
  const answer = await fetch(`/api/v1/games/${encodeURIComponent(room)}/events?since=0`, {
    headers: { Accept: "text/event-stream" },
    signal: stop.signal,
  });
  if (!answer.ok) throw new Refused(answer.status, "not_found", refusal("not_found"));
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  const frames = [];
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) break;
    rest += value;
    const blocks = rest.split(/\r?\n\r?\n/);
    rest = blocks.pop();
    for (const block of blocks) {
      const data = block.split(/\r?\n/).filter((line) => line.startsWith("data:")).map((line) => line.slice(5).trim()).join("");
      if (data) frames.push(JSON.parse(data));
    }
    if (frames.some((frame) => frame.seq >= head)) break;
  }
  stop.abort();
  return frames;
}

/** What this viewer has seen of a running game, from its start; undone moves are left out. */
async function ownKnowledge(room, state) {
  const frames = await framesUntil(room, state.seq);
  let opening = null;
  const steps = [];
  for (const frame of frames) {
    if (frame.t === "state" && frame.view) {
      opening = frame.view;
      steps.length = 0;
    }
    if (frame.t === "table" && frame.view && frame.kind !== "undo") {
      opening = opening ?? frame.view;
    }
    if (frame.t === "table" && frame.kind === "undo" && steps.length) steps.pop();
    if (frame.t === "events" && opening) {
      const seat = frame.events[0]?.seat ?? null;
      steps.push({ seat, at: frame.at, by: frame.by ?? "person", marks: [], events: frame.events });
    }
  }
  return { view: opening ?? state.view, steps };
}

/** {replay, seats, viewer, record}: record is null while the game runs. */
export async function fromRoom(room, eyes = "all") {
  const path = `/games/${encodeURIComponent(room)}`;
  const state = await get(path);
  const { table, you } = state;
  if (table.status === "open") throw new Refused(409, "not_started", refusal("not_started"));
  const seats = table.seats;
  if (table.status === "running") {
    const viewer = you?.seat ?? null;
    return { replay: await ownKnowledge(room, state), seats, viewer, record: null, table };
  }
  const record = await get(`${path}/record`);
  return { ...(await fromRecord(record, eyes)), seats, table };
}

export async function fromRecord(record, eyes = "all") {
  const replay = await playThrough(record, eyes);
  const seats = record.players.map(({ name, bot }) => ({ name, bot, colour: null }));
  return { replay, seats, viewer: eyes === "all" ? null : eyes, record, table: null };
}

/** The JSON of a chosen file. */
export async function readRecord(file) {
  if (file.size > 900000) throw new Refused(413, "too_big", refusal("too_big"));
  try {
    return JSON.parse(await file.text());
  } catch {
    throw new Refused(422, "bad_json", refusal("bad_json"));
  }
}
