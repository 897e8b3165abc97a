import pytest

from pytest_bourse import Options

pytest_plugins = ["pytester"]


@pytest.fixture(scope="session")
def bourse_options() -> Options:
    return Options(instruments=["BTCUSDT"], prices={"BTCUSDT": "60000"})
