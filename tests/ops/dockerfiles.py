"""A parser for Dockerfiles: stages and instructions, as far as ours needs."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Instruction:
    """One instruction, continued lines joined."""

    word: str
    text: str
    line: int

    @property
    def words(self) -> list[str]:
        return shlex.split(self.text)

    @property
    def exec_form(self) -> list[str]:
        """The words of a JSON form, as CMD and HEALTHCHECK CMD have it."""
        found: list[str] = json.loads(self.text[self.text.index("[") :])
        return found


def instructions(file: Path = ROOT / "Dockerfile") -> list[Instruction]:
    found: list[Instruction] = []
    pending, began = "", 0
    for number, line in enumerate(file.read_text().splitlines(), 1):
        if not pending and (not line.strip() or line.startswith("#")):
            continue
        began = began if pending else number
        if line.rstrip().endswith("\\"):
            pending += line.rstrip()[:-1] + " "
            continue
        word, _, rest = (pending + line).strip().partition(" ")
        found.append(Instruction(word, " ".join(rest.split()), began))
        pending = ""
    return found


def stages() -> list[list[Instruction]]:
    """The instructions of each stage; the first of each is its FROM."""
    found: list[list[Instruction]] = []
    for each in instructions():
        if each.word == "FROM":
            found.append([])
        found[-1].append(each)
    return found


def environment(stage: list[Instruction]) -> dict[str, str]:
    """Return the variables that ENV sets."""
    words = [word for each in stage if each.word == "ENV" for word in each.words]
    return {word.partition("=")[0]: word.partition("=")[2] for word in words}


def only(stage: list[Instruction], word: str) -> Instruction:
    (found,) = [each for each in stage if each.word == word]
    return found
