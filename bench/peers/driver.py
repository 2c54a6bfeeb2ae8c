"""One run: drive a running server and print the measurements as one line of JSON.

python -m bench.peers.driver --speak ours --port 8000 --pid 123 --scenario s200
"""

from __future__ import annotations

import argparse
import json
import sys

import uvloop

from bench.peers.adapters import BoardgameIo, Broadcast, Colyseus, ColyseusSameJob
from bench.peers.load import Adapter, Load, RunFailed
from bench.peers.ours import Ours
from bench.peers.scenarios import SCENARIOS

ADAPTERS: dict[str, type[Adapter]] = {
    "ours": Ours,
    "boardgame.io": BoardgameIo,
    "colyseus": Colyseus,
    "colyseus+job": ColyseusSameJob,
    "broadcast": Broadcast,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--speak", choices=ADAPTERS, required=True)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--pid", type=int, required=True)
    parser.add_argument("--scenario", choices=SCENARIOS, required=True)
    parser.add_argument("--half", action="store_true")
    arguments = parser.parse_args()
    scenario = SCENARIOS[arguments.scenario]
    if arguments.half:
        scenario = scenario.halved()

    async def run() -> None:
        print(
            json.dumps(await Load(ADAPTERS[arguments.speak], arguments.port, arguments.pid, scenario).run())
        )

    try:
        uvloop.run(run())
    except RunFailed as problem:
        sys.exit(str(problem))


if __name__ == "__main__":
    main()
