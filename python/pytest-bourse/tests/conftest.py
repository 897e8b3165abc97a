from collections.abc import Iterator

import pytest

from pytest_bourse import Bourse, Options
from pytest_bourse.operator import Operator

pytest_plugins = ["pytester"]


@pytest.fixture(scope="session")
def bourse_options() -> Options:
    return Options(instruments=["BTCUSDT"], prices={"BTCUSDT": "60000"})


@pytest.fixture(autouse=True)
def books_balance(request: pytest.FixtureRequest) -> Iterator[None]:
    """After each test of an exchange every coin adds up to nothing over users, house and world."""
    used: list[Bourse] = [
        request.getfixturevalue(name) for name in ("bourse", "bourse_server") if name in request.fixturenames
    ]
    yield
    for exchange in used:
        operator = Operator(exchange.operator_url, exchange.operator_token)
        assert operator.get("/admin/books")["balanced"]
