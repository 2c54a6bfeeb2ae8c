"""Browser contexts that are worn again: a new person finds no cookie and no store, but files fetched before."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page

DESK = {
    "viewport": {"width": 1280, "height": 800},
    # moves are looked at by tests of motion; everywhere else stillness makes them quick
    "reduced_motion": "reduce",
    # the worker that keeps the offline page asks for every file a second time; its own test allows it
    "service_workers": "block",
}
PHONE = {
    "viewport": {"width": 390, "height": 844},
    "has_touch": True,
    "is_mobile": True,
    "device_scale_factor": 2,
}
# Sound is offered once in a browser's life, over the head of the page; whoever is to be asked is `fresh`.
ASKED = """try {
  const kept = JSON.parse(localStorage.getItem("cartagena.table") ?? "{}");
  localStorage.setItem("cartagena.table", JSON.stringify({ isSoundOffered: true, ...kept }));
} catch {
  // a page without storage
}"""
PATIENCE = 45_000  # milliseconds until something is taken for lost; two busy cores make honest pages slow


# What a page can be told itself: whoever wants one of these wears what others wear. A context that is new has fetched
# and compiled nothing, and costs its first page three times as much.
OF_PAGES = ("viewport", "color_scheme", "forced_colors", "reduced_motion")


def dress(page: Page, viewport: Any = None, **media: Any) -> Page:
    """The page as wished by some of OF_PAGES."""
    if viewport is not None:
        page.set_viewport_size(viewport)
    if media:
        page.emulate_media(**media)
    return page


class Wardrobe:
    """Keeps the contexts of people who have left, by what they were made with."""

    def __init__(self, browser: Browser, url: str) -> None:
        self.browser = browser
        self.url = url
        self.idle: dict[str, list[BrowserContext]] = {}
        self.kinds: dict[BrowserContext, str] = {}
        self.anchors: dict[BrowserContext, Page] = {}

    def take(self, *, phone: bool = False, fresh: bool = False, **wishes: Any) -> BrowserContext:
        """A context as wished; `fresh`: one that nobody had before or will have after."""
        # With a service worker it is not cleared for the next one: Chromium may not answer while the worker ends.
        fresh = fresh or wishes.get("service_workers") == "allow"
        options = {**DESK, **(PHONE if phone else {}), **wishes}
        kind = repr(sorted(options.items()))
        if not fresh and self.idle.get(kind):
            return self.idle[kind].pop()
        context = self.browser.new_context(**options)
        context.set_default_timeout(PATIENCE)
        if not fresh:
            context.add_init_script(ASKED)
            # A page that stays open keeps the site's process alive for the pages that come and go.
            self.kinds[context] = kind
            self.anchors[context] = context.new_page()
            self.anchors[context].goto(f"{self.url}/healthz")
        return context

    def give_back(self, context: BrowserContext) -> None:
        anchor = self.anchors.get(context)
        if anchor is None:
            context.close()
            return
        for page in context.pages:
            if page is not anchor:
                page.close()
        context.set_offline(False)
        context.clear_cookies()
        session = context.new_cdp_session(anchor)
        stores = "local_storage,indexeddb,cache_storage,service_workers"
        session.send("Storage.clearDataForOrigin", {"origin": self.url, "storageTypes": stores})
        session.detach()
        self.idle.setdefault(self.kinds[context], []).append(context)
