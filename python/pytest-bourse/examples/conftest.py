import pytest

from pytest_bourse import Options


@pytest.fixture(scope="session")
def bourse_options() -> Options:
    return Options(instruments=["SPOT:BTCUSDT"])
