"""The engine under test, as a library and as the `cartagena engine` process, behind one interface."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any, Protocol

from app import rules
from tests.reference.naive import Refusal

Json = dict[str, Any]


class Engine(Protocol):
    """The interface that is compared. A handle is the engine's own representation of a position."""

    def new(self, options: object, seed: object) -> Any: ...
    def load(self, position: object) -> Any: ...
    def dump(self, handle: Any) -> Json: ...
    def legal(self, handle: Any) -> list[Json]: ...
    def apply(self, handle: Any, seat: object, action: object) -> Any: ...
    def view(self, handle: Any, seat: object) -> Json: ...


class InProcess:
    """The library, which keeps its own positions between actions."""

    def __init__(self, fold_every: int = 1) -> None:
        self.fold_every = fold_every
        self.applied = 0

    def new(self, options: Any, seed: Any) -> Any:
        try:
            return rules.new_game(rules.parse_options(options), seed)
        except rules.RuleError as error:
            raise Refusal(error.code, error.message) from error

    def load(self, position: Any) -> Any:
        try:
            return rules.position_from_json(position)
        except rules.RuleError as error:
            raise Refusal(error.code, error.message) from error

    def dump(self, handle: Any) -> Json:
        return rules.position_to_json(handle)

    def legal(self, handle: Any) -> list[Json]:
        combined = [
            {"seat": seat, "action": rules.action_to_json(action)}
            for seat, action in rules.legal_for_all(handle)
        ]
        one_by_one = [
            {"seat": seat, "action": rules.action_to_json(action)}
            for seat in range(handle.options.players)
            for action in rules.legal(handle, seat)
        ]
        assert combined == one_by_one or sorted(map(str, combined)) == sorted(map(str, one_by_one))
        return combined

    def apply(self, handle: Any, seat: Any, action: Any) -> Any:
        try:
            after, events = rules.apply(handle, seat, rules.action_from_json(action))
        except rules.RuleError as error:
            raise Refusal(error.code, error.message) from error
        self.applied += 1
        if self.applied % self.fold_every == 0:
            self.check_fold(handle, after, events)
        return after

    def check_fold(self, before: Any, after: Any, events: Any) -> None:
        """Check that folding the events into each audience's view gives its next view."""
        for audience in (None, *range(before.options.players)):
            folded = rules.view(before, audience)
            for event in rules.events_for(events, audience, before.options):
                rules.fold(folded, event, audience)
            assert folded == rules.view(after, audience), (audience, events)

    def view(self, handle: Any, seat: Any) -> Json:
        try:
            return rules.view(handle, seat)
        except rules.RuleError as error:
            raise Refusal(error.code, error.message) from error


class Pipe:
    """The `cartagena engine` process, one line per request; a handle is the position's JSON."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "app.cli", "engine"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, **request: object) -> Json:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        answer: Json = json.loads(self.process.stdout.readline())
        if "error" in answer:
            raise Refusal(answer["error"]["code"], answer["error"]["message"])
        return answer

    def new(self, options: object, seed: object) -> Any:
        return self.ask(do="new", options=options, seed=seed)["position"]

    def load(self, position: object) -> Any:
        self.ask(do="view", position=position, seat=None)
        return position

    def dump(self, handle: Any) -> Json:
        position: Json = handle
        return position

    def legal(self, handle: Any) -> list[Json]:
        actions: list[Json] = self.ask(do="legal", position=handle)["actions"]
        return actions

    def apply(self, handle: Any, seat: object, action: object) -> Any:
        return self.ask(do="apply", position=handle, seat=seat, action=action)["position"]

    def view(self, handle: Any, seat: object) -> Json:
        seen: Json = self.ask(do="view", position=handle, seat=seat)["view"]
        return seen

    def close(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait(timeout=20)
