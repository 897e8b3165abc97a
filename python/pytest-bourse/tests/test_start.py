"""How an exchange is found, and what is said when there is none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_bourse import Bourse, BourseNotFound, Options, start_bourse
from pytest_bourse.server import running_bourse


def test_without_node(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("BOURSE_COMMAND", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BourseNotFound, match="install Node 24") as missing:
        start_bourse()
    assert "BOURSE_COMMAND" in str(missing.value)


def test_without_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOURSE_COMMAND", "no-such-program start")
    with pytest.raises(BourseNotFound, match="BOURSE_COMMAND: there is no no-such-program"):
        start_bourse()


def test_what_the_exchange_says_is_shown() -> None:
    with pytest.raises(BourseNotFound, match=r"(?s)exit code 2.*NOPE"):
        start_bourse(Options(instruments=["NOPE"]))


def test_a_running_one_by_its_file(
    bourse_server: Bourse, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "ready.json"
    monkeypatch.setenv("BOURSE_READY_FILE", str(file))
    with pytest.raises(BourseNotFound, match="is ready"):
        running_bourse()
    facts: dict[str, object] = {
        "url": bourse_server.url,
        "wsUrl": bourse_server.ws_url,
        "operatorUrl": bourse_server.operator_url,
        "operatorToken": bourse_server.operator_token,
        "accounts": [],
    }
    file.write_text(json.dumps(facts))
    found = running_bourse()
    assert found is not None
    assert found.now() == bourse_server.now()
    # Somebody else has started it.
    found.close()
    assert bourse_server.now()


def test_a_running_one_by_its_address(bourse_server: Bourse, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOURSE_URL", bourse_server.url + "/")
    found = running_bourse()
    assert found is not None
    assert found.account("bot").balances()["USDT"]
    with pytest.raises(BourseNotFound, match="BOURSE_OPERATOR_URL"):
        found.force_halt()


def test_fixtures_come_with_the_package(
    pytester: pytest.Pytester, bourse_server: Bourse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BOURSE_URL", bourse_server.url)
    pytester.makepyfile(
        """
        def test_one(bourse, bourse_server):
            assert bourse.url == bourse_server.url
            assert bourse.account("alice").open_orders() == []
        """
    )
    pytester.runpytest_inprocess().assert_outcomes(passed=1)
