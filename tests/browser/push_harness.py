"""A game server and a push service in a thread beside the browser; tests advance the server's clock.

Subscribing is replaced in the page, because tests cannot use the push service of a browser vendor. The test's own
service decrypts what the server sends, and DevTools deliver it to the real service worker. Headless Chromium does not
permit notifications: those that the worker shows are collected in a list, and clicks are dispatched to the worker.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, TypeVar

from aiosmtpd.smtp import SMTP
from playwright.sync_api import Browser, BrowserContext, CDPSession, Worker

from tests.browser.game_server import Player
from tests.notify.push_service import PushService, Received, push_service
from tests.notify.test_mail import Mailbox
from tests.notify.test_webhooks import Receiver, receiving
from tests.sockets.adjustable_clock import AdjustableClock
from tests.sockets.running_server import RunningServer, free_port, in_process

Found = TypeVar("Found")

# Replaces PushManager: the subscription is stored in the browser, across pages.
_FAKE_PUSH_MANAGER = """(made) => {
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


# Replaces the platform's list of notifications, as the service worker sees it.
_FAKE_NOTIFICATIONS = """() => {
  if (self.shown) return;
  self.shown = [];
  ServiceWorkerRegistration.prototype.showNotification = async (title, options) => {
    const notice = { title, ...options, close: () => (self.shown = self.shown.filter((each) => each !== notice)) };
    self.shown = [...self.shown.filter(({ tag }) => tag !== options.tag), notice];
  };
  ServiceWorkerRegistration.prototype.getNotifications = async ({ tag } = {}) =>
    self.shown.filter((notice) => !tag || notice.tag === tag);
}"""


class PushHarness:
    """Runs server and push service until `close`; all calls run in their thread."""

    def __init__(self, folder: Path) -> None:
        self.loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._over = asyncio.Event()
        self._fault: BaseException | None = None
        self.url = f"sqlite:///{folder / 'house.db'}"
        self.server: RunningServer
        self.service: PushService
        self.receiver: Receiver  # of webhook calls
        self.mailbox = Mailbox()
        self._clock: AdjustableClock
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
        port = free_port()
        smtp = await asyncio.get_running_loop().create_server(lambda: SMTP(self.mailbox), "127.0.0.1", 0)
        settings = {
            "port": port,
            "public_url": f"http://127.0.0.1:{port}",
            "webhook_private": True,
            "notify_seconds": 0.5,
            "smtp_host": "127.0.0.1",
            "smtp_port": smtp.sockets[0].getsockname()[1],
            "smtp_security": "none",
        }
        async with (
            smtp,
            push_service() as self.service,
            receiving() as self.receiver,
            in_process(self.url, **settings) as self.server,
        ):
            self._clock = AdjustableClock(self.server)
            self._ready.set()
            await self._over.wait()

    def close(self) -> None:
        self.loop.call_soon_threadsafe(self._over.set)
        self._thread.join(60)

    def run(self, coroutine: Coroutine[Any, Any, Found]) -> Found:
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(120)

    def advance(self, seconds: float) -> None:
        """Advance the clocks of games and accounts."""
        self.run(self._clock.advance(seconds))
        assert self.server._app is not None
        site = self.server._app.state.site
        before = site.clock
        site.clock = lambda: before() + seconds

    def received(self, number: int) -> Received:
        """Wait for the push with this index and return it."""

        async def wait() -> Received:
            async with asyncio.timeout(60):
                await self.service.wait_for_accepted(number + 1)
            return self.service.received[number]

        return self.run(wait())


class PushClient:
    """A player whose browser receives pushes at `path` of the push service."""

    def __init__(self, harness: PushHarness, browser: Browser, name: str, **context_options: Any) -> None:
        made = harness.service.subscription()
        self.path = str(made["endpoint"]).partition(str(harness.service.port))[2]
        self.context: BrowserContext = browser.new_context(
            service_workers="allow", reduced_motion="reduce", **context_options
        )
        self.context.set_default_timeout(60_000)
        self.context.add_init_script(f"({_FAKE_PUSH_MANAGER})({json.dumps(made)})")
        self.player = Player(self.context, harness.server.base)
        self.player.introduce(name)
        self._house = harness
        self._tools: CDPSession | None = None
        self._registration = ""

    def _devtools(self) -> CDPSession:
        if self._tools is None:
            self._tools = self.context.new_cdp_session(self.player.page)
            found: list[str] = []
            self._tools.on(
                "ServiceWorker.workerRegistrationUpdated",
                lambda event: found.extend(row["registrationId"] for row in event["registrations"]),
            )
            self._tools.send("ServiceWorker.enable")
            self.player.page.evaluate("() => navigator.serviceWorker.ready.then(() => true)")
            self.player.page.wait_for_timeout(200)
            self._registration = found[-1]
            self._worker().evaluate(_FAKE_NOTIFICATIONS)
        return self._tools

    def _worker(self) -> Worker:
        return self.context.service_workers[0]

    def deliver(self, message: dict[str, Any]) -> None:
        """Deliver a decrypted message to the service worker, as the push service would."""
        self._devtools().send(
            "ServiceWorker.deliverPushMessage",
            {
                "origin": self._house.server.base,
                "registrationId": self._registration,
                "data": json.dumps(message),
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
        """Dispatch a click on the notice in the worker; return the page it opens or focuses."""
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
