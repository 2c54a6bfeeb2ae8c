"""Profile function of tools/trace_action.py: records the functions and value objects of app/ that are used."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, is_dataclass
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import msgspec

APP = str(Path(__file__).resolve().parent.parent / "app") + os.sep
IDLE_SECONDS = 3.0


@dataclass
class Window:
    """What ran while one operation was recorded: code objects of app/ and types of created objects."""

    functions: set[CodeType] = field(default_factory=set)
    values: set[type] = field(default_factory=set)


@dataclass(frozen=True)
class Trace:
    """The names used by one operation, sorted; those of app/rules are separate."""

    files: list[str]
    values: list[str]
    rules: list[str]


class Recorder:
    """A profile function that records calls in app/ while a window is open."""

    def __init__(self) -> None:
        self._window: Window | None = None
        self._services: dict[int, object] = {}
        self._idle = Window()
        self._ours: dict[type, bool] = {}

    def __call__(self, frame: FrameType, event: str, argument: Any) -> None:
        window = self._window
        if window is None or event not in ("call", "return"):
            return
        code = frame.f_code
        if code.co_filename.startswith(APP):
            if event == "call":
                window.functions.add(code)
        elif not code.co_filename.startswith("<") or not str(frame.f_globals.get("__name__")).startswith(
            "app."
        ):
            return  # generated code, such as the __init__ of a dataclass, still shows values
        if event == "return":
            self._note(window, argument)
            return
        count = code.co_argcount + code.co_kwonlyargcount
        arguments = frame.f_locals
        for name in code.co_varnames[:count]:
            self._note(window, arguments.get(name))

    def _note(self, window: Window, value: Any) -> None:
        items: Sequence[Any] = value if type(value) in (list, tuple) else (value,)
        for item in items:
            kind = type(item)
            is_ours = self._ours.get(kind)
            if is_ours is None:
                is_ours = self._ours[kind] = _is_value_type(kind)
            if is_ours and id(item) not in self._services:
                window.values.add(kind)

    @contextmanager
    def recording(self) -> Iterator[Window]:
        self._services = {id(found): found for found in gc.get_objects() if _is_value_type(type(found))}
        self._window = window = Window()
        try:
            yield window
        finally:
            self._window = None
            self._services = {}

    async def record_idle(self) -> None:
        """Record what runs without any operation; later traces leave it out."""
        with self.recording() as window:
            await asyncio.sleep(IDLE_SECONDS)
        self._idle.functions |= window.functions
        self._idle.values |= window.values

    def trace_of(self, windows: Sequence[Window]) -> Trace:
        functions = set.intersection(*(window.functions for window in windows)) - self._idle.functions
        values = set.intersection(*(window.values for window in windows)) - self._idle.values
        files = sorted({function.co_filename.removeprefix(APP) for function in functions})
        names = sorted({f"{kind.__module__.removeprefix('app.')}.{kind.__qualname__}" for kind in values})
        return Trace(
            files=[name for name in files if not name.startswith("rules/")],
            values=[name for name in names if not name.startswith("rules.")],
            rules=[name for name in (*files, *names) if name.startswith("rules")],
        )


def _is_value_type(kind: type) -> bool:
    return str(kind.__module__).startswith("app.") and (
        is_dataclass(kind) or issubclass(kind, msgspec.Struct) or hasattr(kind, "_fields")
    )


@contextmanager
def profiled(recorder: Recorder) -> Iterator[None]:
    """Profile this thread and those started from now on."""
    threading.setprofile(recorder)
    sys.setprofile(recorder)
    try:
        yield
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
