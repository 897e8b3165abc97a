"""Starts an exchange in a process of its own, in memory, or finds one that runs."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .bourse import Bourse
from .errors import BourseNotFound

START_S = 120.0
STOP_S = 10.0
POLL_S = 0.02
DEMO_ACCOUNTS = ("alice", "bob", "bot", "maker")

HOW_TO_GET_ONE = """pytest-bourse starts the exchange with Node, and there is {missing} here. Either
  - install Node 24.14.1 or later (https://nodejs.org), and the exchange with: npm install bourse
  - or set BOURSE_COMMAND to the command that starts it, such as: node /path/to/bourse/bourse.cjs
  - or set BOURSE_READY_FILE (or BOURSE_URL) to that of an exchange that runs"""


@dataclass(frozen=True)
class Options:
    """As those of `bourse/testkit`. `args` are further ones of `bourse start`."""

    instruments: Sequence[str] = ()
    market: str = "off"
    #: Index prices at the start; futures open with them. Only without a market, which has its own.
    prices: Mapping[str, str] = field(default_factory=dict)
    seed: int = 1
    clock: str = "manual"
    start: str = "2026-01-01T00:00:00Z"
    rate_limits: bool = True
    args: Sequence[str] = ()

    def arguments(self) -> list[str]:
        options = {
            "--market": self.market,
            "--seed": str(self.seed),
            "--clock": self.clock,
            "--rate-limits": "on" if self.rate_limits else "off",
            "--backfill": "0",
        }
        if self.clock == "manual":
            options["--clock-start"] = self.start
        if self.instruments:
            options["--instruments"] = ",".join(self.instruments)
        return [word for pair in options.items() for word in pair] + list(self.args)


class Server:
    """A process that has been started and need not be ready yet: `ready` waits for it."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self._directory = tempfile.TemporaryDirectory(prefix="bourse-")
        folder = Path(self._directory.name)
        self._ready_file = folder / "ready.json"
        self._output = folder / "output"
        fixed = ["start", "--memory", "--port", "0", "--operator-port", "0", "--ready-file", str(self._ready_file)]
        command = [*_command(), *fixed, *options.arguments()]
        try:
            with self._output.open("wb") as output:
                # A group of its own: npx and what it starts end together.
                self._process = subprocess.Popen(
                    command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
                )
        except OSError as error:
            self._directory.cleanup()
            raise BourseNotFound(HOW_TO_GET_ONE.format(missing=f"no {command[0]}")) from error

    def ready(self) -> Bourse:
        try:
            bourse = Bourse(self._facts(), self.stop)
            for index, price in self.options.prices.items():
                bourse.price(index, price)
            if self.options.prices:
                bourse.open_contracts()
                # The first second, in which marks come from prices.
                if self.options.clock == "manual":
                    bourse.advance("1s")
            return bourse
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        if self._process.poll() is None:
            self._signal(signal.SIGTERM)
            try:
                self._process.wait(STOP_S)
            except subprocess.TimeoutExpired:
                self._signal(getattr(signal, "SIGKILL", signal.SIGTERM))
                self._process.wait()
        self._directory.cleanup()

    def _facts(self) -> dict[str, Any]:
        deadline = time.monotonic() + START_S
        while not self._ready_file.exists():
            code = self._process.poll()
            if code is not None:
                raise BourseNotFound(f"the exchange did not start (exit code {code}):\n{self._said()}")
            if time.monotonic() > deadline:
                raise BourseNotFound(f"the exchange was not ready after {START_S:.0f} s:\n{self._said()}")
            time.sleep(POLL_S)
        facts: dict[str, Any] = json.loads(self._ready_file.read_text())
        return facts

    def _said(self) -> str:
        return self._output.read_text(errors="replace").strip()

    def _signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, number)
            else:
                self._process.send_signal(number)


def start_bourse(options: Options | None = None) -> Bourse:
    """Starts an exchange of one's own: `with start_bourse(Options(market="normal")) as bourse: ...`."""
    return Server(options or Options()).ready()


def running_bourse() -> Bourse | None:
    """The exchange that the environment names, if it does."""
    file = os.environ.get("BOURSE_READY_FILE")
    if file:
        try:
            return Bourse(json.loads(Path(file).read_text()))
        except OSError as error:
            raise BourseNotFound(f"BOURSE_READY_FILE: no exchange that writes {file} is ready") from error
    url = os.environ.get("BOURSE_URL")
    return Bourse(_facts_of_environment(url.rstrip("/"))) if url else None


def _facts_of_environment(url: str) -> dict[str, Any]:
    """As `bourse status -o env` names them; demo accounts have the same keys everywhere."""
    env = os.environ.get

    def account(name: str) -> dict[str, Any]:
        prefix = f"BOURSE_{name.upper()}"
        return {
            "name": name,
            "uid": env(f"{prefix}_UID", ""),
            "apiKey": env(f"{prefix}_API_KEY", f"demo-{name}"),
            "secretKey": env(f"{prefix}_SECRET_KEY", f"demo-{name}-secret"),
            "passphrase": env(f"{prefix}_PASSPHRASE", "demo"),
        }

    return {
        "url": url,
        "wsUrl": env("BOURSE_WS_URL", f"{url.replace('http', 'ws', 1)}/v3/ws"),
        "operatorUrl": env("BOURSE_OPERATOR_URL"),
        "operatorToken": env("BOURSE_OPERATOR_TOKEN"),
        "accounts": [account(name) for name in DEMO_ACCOUNTS],
    }


def _command() -> list[str]:
    given = os.environ.get("BOURSE_COMMAND")
    if given:
        command = shlex.split(given)
        if shutil.which(command[0]) is None:
            raise BourseNotFound(f"BOURSE_COMMAND: there is no {command[0]}")
        return command
    npx = shutil.which("npx")
    if npx is None:
        raise BourseNotFound(HOW_TO_GET_ONE.format(missing="no npx"))
    # Installed before, never fetched in the middle of a test.
    return [npx, "--no", "bourse"]
