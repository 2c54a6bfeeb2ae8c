// The real engine on a lesson's position: the server plays, nothing is remembered there.
import { Refused } from "../core/api.js";
import { fullRefusal, refusal } from "../core/refusals.js";

/** The stage after these actions: {before, view, events, choices, show, done}. */
export async function practise(name, actions) {
  const answer = await fetch(`/practice/${encodeURIComponent(name)}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/json" },
    body: JSON.stringify({ actions }),
  }).catch(() => null);
  if (!answer) throw new Refused(0, "offline", refusal("offline"));
  const body = await answer.json().catch(() => null);
  if (answer.ok) return body;
  const problem = body?.error ?? { code: "error" };
  throw new Refused(answer.status, problem.code, await fullRefusal(problem));
}
