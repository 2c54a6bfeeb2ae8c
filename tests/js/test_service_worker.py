"""The service worker's cache: the offline page in the current language, always with its files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Run = Callable[..., Any]

# Dispatches navigations to the worker's event listeners. Each page is {lang, files, delay}: the state of `/offline`
# during the navigation, and the milliseconds before it is answered. With `overlap` the next navigation starts as soon
# as the worker has requested `/offline`.
NAVIGATE = """async (module, pages) => {
  const realFetch = window.fetch;
  let current = null, onAsked = () => {};
  const response = (body, lang) => new Response(body, {headers: {"Content-Language": lang}});
  window.fetch = async (asked) => {
    const page = current;
    if (asked !== "/offline") return response("", page.lang);
    onAsked();
    await new Promise((done) => setTimeout(done, page.delay ?? 0));
    return response(page.files.map((file) => `<link href="${file}">`).join(""), page.lang);
  };
  const navigate = (page) => {
    current = page;
    const work = [];
    const event = Object.assign(new Event("fetch"), {
      request: {mode: "navigate", url: "/about"},
      respondWith: (answer) => work.push(answer),
      waitUntil: (promise) => work.push(promise),
    });
    window.dispatchEvent(event);
    return Promise.all(work);
  };
  try {
    for (const name of await caches.keys()) await caches.delete(name);
    const all = [];
    for (const page of pages.line) {
      const asked = new Promise((done) => { onAsked = done; });
      all.push(navigate(page));
      await (pages.overlap ? Promise.race([asked, all.at(-1)]) : all.at(-1));
    }
    await Promise.all(all);
    const kept = await caches.match("/offline");
    const cache = await caches.open("cartagena-offline-1");
    const paths = (await cache.keys()).map(({url}) => new URL(url).pathname);
    const files = paths.filter((path) => path.startsWith("/static/")).sort();
    return {lang: kept?.headers.get("Content-Language") ?? null, files};
  } finally {
    window.fetch = realFetch;
  }
}"""

OLD, NEW, GONE = "/static/css/base.css", "/static/css/pages.css", "/static/css/not-there.css"


def navigate(run: Run, *line: dict[str, Any], overlap: bool = False) -> dict[str, Any]:
    found: dict[str, Any] = run("pages/service_worker.js", NAVIGATE, {"line": line, "overlap": overlap})
    return found


def test_offline_page_follows_the_language_and_drops_old_files(run: Run) -> None:
    found = navigate(run, {"lang": "en", "files": [OLD]}, {"lang": "nl", "files": [NEW]})
    assert found == {"lang": "nl", "files": [NEW]}


def test_incomplete_page_does_not_replace_a_complete_one(run: Run) -> None:
    found = navigate(run, {"lang": "en", "files": [OLD]}, {"lang": "nl", "files": [OLD, GONE]})
    assert found == {"lang": "en", "files": [OLD]}


def test_next_navigation_retries(run: Run) -> None:
    half = {"lang": "nl", "files": [GONE]}
    found = navigate(run, {"lang": "en", "files": [OLD]}, half, {"lang": "nl", "files": [NEW]})
    assert found == {"lang": "nl", "files": [NEW]}


def test_last_of_two_quick_language_changes_wins(run: Run) -> None:
    """The late Dutch answer must not replace the Swedish page."""
    dutch, swedish = {"lang": "nl", "files": [OLD], "delay": 300}, {"lang": "sv", "files": [OLD]}
    assert navigate(run, dutch, swedish, overlap=True)["lang"] == "sv"
