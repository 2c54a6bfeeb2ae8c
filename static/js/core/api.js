// Asking the server over HTTP: JSON both ways, refusals as one kind of error.
import { rare, t } from "./i18n.js";

/** What the server refused, already in the reader's language. */
export class Refused extends Error {
  constructor(status, code, sentence) {
    super(sentence);
    this.status = status;
    this.code = code;
  }
}

const csrf = () => document.querySelector('meta[name="csrf"]')?.content ?? "";

/** How long it really is, where that is more than a moment; as app/web/errors.py counts it. */
function waiting(seconds) {
  if (!(seconds > 60)) return "";
  const minutes = Math.ceil(seconds / 60);
  return t("That was too much for now. Try again in about {n} minutes.", { n: minutes <= 10 ? minutes : Math.ceil(minutes / 5) * 5 });
}

async function ask(method, url, body, more = {}) {
  const headers = { Accept: "application/json", ...more };
  if (method !== "GET") headers["X-CSRF"] = csrf();
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let answer;
  try {
    answer = await fetch(url, {
      method,
      headers,
      credentials: "same-origin",
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch {
    throw new Refused(0, "offline", t("The server cannot be reached. Check your connection and try again."));
  }
  if (answer.status === 204) return null;
  const parsed = await answer.json().catch(() => null);
  if (answer.ok) {
    if (parsed?.csrf) document.querySelector('meta[name="csrf"]').content = parsed.csrf;
    return parsed;
  }
  const problem = parsed?.error ?? { code: "error" };
  const wait = answer.status === 429 ? waiting(Number(answer.headers.get("Retry-After"))) : "";
  const sentence = wait || (await rare(import("./refusals.js")).then(({ fullRefusal }) => fullRefusal(problem)));
  throw new Refused(answer.status, problem.code, sentence);
}

const api = (path) => `/api/v1${path}`;

export const get = (path, headers = {}) => ask("GET", api(path), undefined, headers);
export const post = (path, body = {}, headers = {}) => ask("POST", api(path), body, headers);
export const put = (path, body = {}) => ask("PUT", api(path), body);
export const remove = (path, body) => ask("DELETE", api(path), body);

/** The same for what pages ask of the server outside the API. */
export const getFrom = (url, headers = {}) => ask("GET", url, undefined, headers);
export const postTo = (url, body, headers = {}) => ask("POST", url, body, headers);
