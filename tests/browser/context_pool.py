"""A pool of browser contexts: a reused one has no cookies or storage, but a warm file cache."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page

DESK = {
    "viewport": {"width": 1280, "height": 800},
    # only tests of animations need them; everywhere else tests are faster without
    "reduced_motion": "reduce",
    # the service worker requests every file a second time; only its own tests allow it
    "service_workers": "block",
}
PHONE = {
    "viewport": {"width": 390, "height": 844},
    "has_touch": True,
    "is_mobile": True,
    "device_scale_factor": 2,
}
# A browser is offered sound once, in a banner at the top; tests that need the banner use a `fresh` context.
DECLINE_SOUND = """try {
  const kept = JSON.parse(localStorage.getItem("cartagena.table") ?? "{}");
  localStorage.setItem("cartagena.table", JSON.stringify({ isSoundOffered: true, ...kept }));
} catch {
  // a page without storage
}"""
TIMEOUT_MS = 45_000  # two busy cores make pages slow


# Options that can be set on a page of a pooled context. A new context has fetched and compiled nothing, so its first
# page costs three times as much.
PAGE_OPTIONS = ("viewport", "color_scheme", "forced_colors", "reduced_motion")


def apply_page_options(page: Page, viewport: Any = None, **media: Any) -> Page:
    """Apply some of PAGE_OPTIONS to the page and return it."""
    if viewport is not None:
        page.set_viewport_size(viewport)
    if media:
        page.emulate_media(**media)
    return page


class ContextPool:
    """Contexts returned by earlier tests, by their options."""

    def __init__(self, browser: Browser, url: str) -> None:
        self.browser = browser
        self.url = url
        self.idle: dict[str, list[BrowserContext]] = {}
        self.kinds: dict[BrowserContext, str] = {}
        self.anchors: dict[BrowserContext, Page] = {}

    def take(self, *, phone: bool = False, fresh: bool = False, **context_options: Any) -> BrowserContext:
        """Return a context with these options; a `fresh` one is new and is not reused."""
        # A context with a service worker is not reused: Chromium may not answer while the worker ends.
        fresh = fresh or context_options.get("service_workers") == "allow"
        options = {**DESK, **(PHONE if phone else {}), **context_options}
        kind = repr(sorted(options.items()))
        if not fresh and self.idle.get(kind):
            return self.idle[kind].pop()
        context = self.browser.new_context(**options)
        context.set_default_timeout(TIMEOUT_MS)
        if not fresh:
            context.add_init_script(DECLINE_SOUND)
            # A page that stays open keeps the site's renderer process alive.
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
