"""The service worker's cache: a page in the language read last, and never a page without its files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Run = Callable[..., Any]

# Plays navigations against the worker's own event listeners. Each page is {lang, files, delay}: what `/offline` is
# when the person navigates; `delay` holds that answer back for so many milliseconds. With `overlap` the next
# navigation begins as soon as the worker has asked for `/offline`.
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
    found: dict[str, Any] = run("pages/worker.js", NAVIGATE, {"line": line, "overlap": overlap})
    return found


def test_the_offline_page_follows_the_language_and_forgets_old_files(run: Run) -> None:
    found = navigate(run, {"lang": "en", "files": [OLD]}, {"lang": "nl", "files": [NEW]})
    assert found == {"lang": "nl", "files": [NEW]}


def test_a_page_whose_files_cannot_be_fetched_does_not_replace_one_that_is_whole(run: Run) -> None:
    found = navigate(run, {"lang": "en", "files": [OLD]}, {"lang": "nl", "files": [OLD, GONE]})
    assert found == {"lang": "en", "files": [OLD]}


def test_the_next_navigation_tries_again(run: Run) -> None:
    half = {"lang": "nl", "files": [GONE]}
    found = navigate(run, {"lang": "en", "files": [OLD]}, half, {"lang": "nl", "files": [NEW]})
    assert found == {"lang": "nl", "files": [NEW]}


def test_of_two_languages_in_quick_succession_the_last_is_kept(run: Run) -> None:
    """Dutch is still on its way when Swedish is read; its late answer must not replace the Swedish page."""
    dutch, swedish = {"lang": "nl", "files": [OLD], "delay": 300}, {"lang": "sv", "files": [OLD]}
    assert navigate(run, dutch, swedish, overlap=True)["lang"] == "sv"
