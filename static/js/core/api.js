// HTTP requests to the server: JSON both ways, refusals as one error class.
import { t, withWholeCatalogue } from "./i18n.js";

/** A request that the server refused. The message is in the page's language. */
export class RefusedError extends Error {
  /**
   * @param {number} status
   * @param {string} code
   * @param {string} sentence
   * @param {string} [why]
   */
  constructor(status, code, sentence, why) {
    super(sentence);
    this.status = status;
    this.code = code;
    this.why = why;
  }
}

/** @returns {HTMLMetaElement | null} */
const csrfMeta = () => document.querySelector('meta[name="csrf"]');
const readCsrfToken = () => csrfMeta()?.content ?? "";

/**
 * Return a sentence with the waiting time, or "" below a minute. Rounds like app/web/errors.py.
 * @param {number} seconds
 */
function retryLaterSentence(seconds) {
  if (!(seconds > 60)) return "";
  const minutes = Math.ceil(seconds / 60);
  return t("You have done that too often for now. Try again in about {n} minutes.", {
    n: minutes <= 10 ? minutes : Math.ceil(minutes / 5) * 5,
  });
}

// Fields that release 0.1.0 refuses. During a rolling update one of its workers may answer.
const NEW_FIELDS = ["any_preset", "any_seats", "zone"];

/**
 * Return the body without the field that the server does not know; null if it was refused for another reason.
 * @param {unknown} body
 * @param {{ message?: string }} problem
 */
function withoutUnknownField(body, { message }) {
  const fields = /** @type {Record<string, unknown> | undefined} */ (body);
  const unknown = NEW_FIELDS.find((name) => fields?.[name] && message?.includes(`${name} is not a field`));
  return unknown ? { ...fields, [unknown]: undefined } : null;
}

/**
 * @param {string} method
 * @param {string} url
 * @param {unknown} body
 * @param {Record<string, string>} headers
 */
async function fetchJson(method, url, body, headers) {
  try {
    return await fetch(url, {
      method,
      headers,
      credentials: "same-origin",
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch {
    throw new RefusedError(
      0,
      "offline",
      t("The server cannot be reached. Check your connection and try again."),
    );
  }
}

/**
 * @param {string} method
 * @param {string} url
 * @param {unknown} body
 * @param {Record<string, string>} [extraHeaders]
 */
async function request(method, url, body, extraHeaders = {}) {
  /** @type {Record<string, string>} */
  const headers = { Accept: "application/json", ...extraHeaders };
  if (method !== "GET") headers["X-CSRF"] = readCsrfToken();
  if (body !== undefined) headers["Content-Type"] = "application/json";
  for (let sent = body; ; ) {
    const response = await fetchJson(method, url, sent, headers);
    if (response.status === 204) return null;
    const parsed = await response.json().catch(() => null);
    if (response.ok) {
      if (parsed?.csrf) /** @type {HTMLMetaElement} */ (csrfMeta()).content = parsed.csrf;
      return parsed;
    }
    const problem = parsed?.error ?? { code: "error" };
    const olderBody = response.status === 422 && withoutUnknownField(sent, problem);
    if (olderBody) {
      sent = olderBody;
      continue;
    }
    const wait =
      response.status === 429 ? retryLaterSentence(Number(response.headers.get("Retry-After"))) : "";
    const sentence =
      wait ||
      (await withWholeCatalogue(import("./refusals.js")).then(({ describeRefusal }) =>
        describeRefusal(problem),
      ));
    throw new RefusedError(response.status, problem.code, sentence, problem.why);
  }
}

/** @param {string} path */
const apiPath = (path) => `/api/v1${path}`;

/**
 * @param {string} path
 * @param {Record<string, string>} [headers]
 */
export const get = (path, headers = {}) => request("GET", apiPath(path), undefined, headers);
/**
 * @param {string} path
 * @param {unknown} [body]
 * @param {Record<string, string>} [headers]
 */
export const post = (path, body = {}, headers = {}) => request("POST", apiPath(path), body, headers);
/**
 * @param {string} path
 * @param {unknown} [body]
 */
export const put = (path, body = {}) => request("PUT", apiPath(path), body);
/**
 * @param {string} path
 * @param {unknown} [body]
 */
export const remove = (path, body) => request("DELETE", apiPath(path), body);

/**
 * Like `get`, for addresses outside the API.
 * @param {string} url
 * @param {Record<string, string>} [headers]
 */
export const getUrl = (url, headers = {}) => request("GET", url, undefined, headers);
/**
 * @param {string} url
 * @param {unknown} body
 * @param {Record<string, string>} [headers]
 */
export const postUrl = (url, body, headers = {}) => request("POST", url, body, headers);
