"""A server and a push service beside the browser, in one thread of their own; its clock is turned by the tests.

Subscribing is replaced in the page, as a push service of a browser's maker is nobody's to test with. The tests' own
service decrypts what the server sends; DevTools hand it to the real service worker. The headless Chromium shows notices
nowhere and so permits none: what the worker asks to be shown is kept in a list, and the click is dispatched to it.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, TypeVar

from playwright.sync_api import Browser, BrowserContext, CDPSession, Worker

from tests.browser.table.house import Player
from tests.notify.push_service import PushService, Received, push_service
from tests.sockets.running_server import RunningServer, in_process
from tests.sockets.turned_clock import TurnedClock

Found = TypeVar("Found")

# What PushManager would do: the subscription is kept with the browser, across pages.
_SUBSCRIBING = """(made) => {
  const KEY = "test.subscribed";
  const bytes = (text) => Uint8Array.from(text.split(",").map(Number)).buffer;
  const subscription = (key) => ({
    endpoint: made.endpoint,
    options: { applicationServerKey: bytes(key), userVisibleOnly: true },
    toJSON: () => ({ ...made, expirationTime: null }),
    unsubscribe: async () => localStorage.removeItem(KEY) ?? true,
  });
  Object.defineProperty(Notification, "permission", { get: () => "granted" });
  Notification.requestPermission = async () => "granted";
  PushManager.prototype.getSubscription = async () => {
    const key = localStorage.getItem(KEY);
    return key ? subscription(key) : null;
  };
  PushManager.prototype.subscribe = async ({ applicationServerKey }) => {
    localStorage.setItem(KEY, [...new Uint8Array(applicationServerKey)].join(","));
    return subscription(localStorage.getItem(KEY));
  };
}"""


# The platform's list of notices, as the worker sees it.
_SHOWING = """() => {
  if (self.shown) return;
  self.shown = [];
  ServiceWorkerRegistration.prototype.showNotification = async (title, options) => {
    const notice = { title, ...options, close: () => (self.shown = self.shown.filter((each) => each !== notice)) };
    self.shown = [...self.shown.filter(({ tag }) => tag !== options.tag), notice];
  };
  ServiceWorkerRegistration.prototype.getNotifications = async ({ tag } = {}) =>
    self.shown.filter((notice) => !tag || notice.tag === tag);
}"""


class PushingHouse:
    """Runs both until `close`; everything about them is asked in their own thread."""

    def __init__(self, folder: Path) -> None:
        self.loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._over = asyncio.Event()
        self._fault: BaseException | None = None
        self.url = f"sqlite+aiosqlite:///{folder / 'house.db'}"
        self.server: RunningServer
        self.service: PushService
        self._clock: TurnedClock
        self._turned = 0.0
        self._thread = threading.Thread(target=self._run)
        self._thread.start()
        self._ready.wait(120)
        if self._fault is not None:
            raise self._fault

    def _run(self) -> None:
        try:
            self.loop.run_until_complete(self._serve())
        except Exception as fault:  # noqa: BLE001 - raised again in the test's thread
            self._fault = fault
        finally:
            self.loop.close()
            self._ready.set()

    async def _serve(self) -> None:
        async with (
            push_service() as self.service,
            in_process(self.url, webhook_private=True, notify_seconds=0.5) as self.server,
        ):
            self._clock = TurnedClock(self.server)
            self._ready.set()
            await self._over.wait()

    def close(self) -> None:
        self.loop.call_soon_threadsafe(self._over.set)
        self._thread.join(60)

    def ask(self, question: Coroutine[Any, Any, Found]) -> Found:
        return asyncio.run_coroutine_threadsafe(question, self.loop).result(120)

    def turn(self, seconds: float) -> None:
        """So much later, for games and for people."""
        self.ask(self._clock.turn(seconds))
        assert self.server._app is not None
        site = self.server._app.state.site
        before = site.clock
        site.clock = lambda: before() + seconds

    def received(self, number: int) -> Received:
        """The push of this number, once it has come."""

        async def wait() -> Received:
            async with asyncio.timeout(60):
                await self.service.taken(number + 1)
            return self.service.received[number]

        return self.ask(wait())


class Away:
    """Somebody with a browser that takes pushes; `path` is where theirs arrive."""

    def __init__(self, house: PushingHouse, browser: Browser, name: str, **wishes: Any) -> None:
        made = house.service.subscription()
        self.path = str(made["endpoint"]).partition(str(house.service.port))[2]
        self.context: BrowserContext = browser.new_context(
            service_workers="allow", reduced_motion="reduce", **wishes
        )
        self.context.set_default_timeout(60_000)
        self.context.add_init_script(f"({_SUBSCRIBING})({json.dumps(made)})")
        self.player = Player(self.context, house.server.base)
        self.player.introduce(name)
        self._house = house
        self._tools: CDPSession | None = None
        self._registration = ""

    def _devtools(self) -> CDPSession:
        if self._tools is None:
            self._tools = self.context.new_cdp_session(self.player.page)
            found: list[str] = []
            self._tools.on(
                "ServiceWorker.workerRegistrationUpdated",
                lambda told: found.extend(each["registrationId"] for each in told["registrations"]),
            )
            self._tools.send("ServiceWorker.enable")
            self.player.page.evaluate("() => navigator.serviceWorker.ready.then(() => true)")
            self.player.page.wait_for_timeout(200)
            self._registration = found[-1]
            self._worker().evaluate(_SHOWING)
        return self._tools

    def _worker(self) -> Worker:
        return self.context.service_workers[0]

    def deliver(self, told: dict[str, Any]) -> None:
        """What the push service would do, once the message is decrypted."""
        self._devtools().send(
            "ServiceWorker.deliverPushMessage",
            {
                "origin": self._house.server.base,
                "registrationId": self._registration,
                "data": json.dumps(told),
            },
        )

    def notices(self) -> list[dict[str, Any]]:
        self._devtools()
        shown: list[dict[str, Any]] = self._worker().evaluate(
            "() => self.shown.map(({title, body, tag, data, silent}) => ({title, body, tag, data, silent}))"
        )
        return shown

    def wait_for_notices(self, number: int) -> list[dict[str, Any]]:
        for _ in range(200):
            shown = self.notices()
            if len(shown) == number:
                return shown
            self.player.page.wait_for_timeout(50)
        raise AssertionError(f"{len(self.notices())} notices, not {number}")

    def click(self, tag: str) -> str:
        """A click on the notice, dispatched in the worker; which page it opens or brings to the front."""
        path: str = self._worker().evaluate(
            """async (tag) => {
              const [notification] = await self.registration.getNotifications({ tag });
              const done = {};
              self.clients.openWindow = async (path) => { done.path = path; }; // only a finger may open one
              WindowClient.prototype.focus = async function () { done.path = new URL(this.url).pathname; };
              const event = new ExtendableEvent("notificationclick");
              event.notification = notification;
              let work;
              event.waitUntil = (promise) => { work = promise; }; // only the browser may extend its own events
              self.dispatchEvent(event);
              await work;
              return done.path;
            }""",
            tag,
        )
        return path
