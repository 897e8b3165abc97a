"""The fixtures."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .bourse import Bourse
from .server import Options, Server, running_bourse, start_bourse


class Supply:
    """
    Exchanges, one for each test. While a test runs, the exchange of the next one starts, so that no test but the first
    waits for long.
    """

    def __init__(self, wanted: int) -> None:
        self._wanted = wanted
        self._next: Server | None = None

    def take(self, options: Options) -> Bourse:
        if self._next is not None and self._next.options != options:
            self.close()
        server = self._next or Server(options)
        self._next = None
        self._wanted -= 1
        bourse = server.ready()
        if self._wanted > 0:
            self._next = Server(options)
        return bourse

    def close(self) -> None:
        if self._next is not None:
            self._next.stop()
            self._next = None


@pytest.fixture(scope="session")
def bourse_options() -> Options:
    """Override it to start exchanges of another kind: in conftest.py, in a module, in a class."""
    return Options()


@pytest.fixture(scope="session")
def bourse_server(bourse_options: Options) -> Iterator[Bourse]:
    """One exchange for all tests that ask for it: what a test leaves there, the next one finds."""
    with running_bourse() or start_bourse(bourse_options) as bourse:
        yield bourse


@pytest.fixture(scope="session")
def _bourse_supply(request: pytest.FixtureRequest) -> Iterator[Supply]:
    wanted = sum("bourse" in getattr(item, "fixturenames", ()) for item in request.session.items)
    supply = Supply(wanted)
    yield supply
    supply.close()


@pytest.fixture
def bourse(_bourse_supply: Supply, bourse_options: Options) -> Iterator[Bourse]:
    """
    An exchange of the test's own, gone with it. With BOURSE_READY_FILE or BOURSE_URL it is the one that runs, and what
    earlier tests left is there: open accounts of your own then.
    """
    with running_bourse() or _bourse_supply.take(bourse_options) as bourse:
        yield bourse
