"""The exchange of a test, through the fixtures."""

from __future__ import annotations

from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from pytest_bourse import Bourse, BourseError, Options, start_bourse

SPOT = {"category": "SPOT", "symbol": "BTCUSDT", "orderType": "limit"}
FUTURES = {"category": "USDT-FUTURES", "symbol": "BTCUSDT", "orderType": "limit", "qty": "1"}


def open_position(bourse: Bourse) -> None:
    bourse.account("maker").place(**FUTURES, side="sell", price="60000")
    bourse.account("alice").place(**FUTURES, side="buy", price="60000")


def test_trades(bourse: Bourse) -> None:
    alice, bob = bourse.account("alice"), bourse.account("bob")
    first = alice.place(**SPOT, side="buy", qty="0.1", price="59000")
    assert [order["orderId"] for order in alice.open_orders()] == [first["orderId"]]
    assert bob.place(**SPOT, side="sell", qty="0.1", price="59000")["orderStatus"] == "filled"
    assert alice.open_orders() == []
    assert alice.balances()["USDT"] == "94100"

    second = alice.place(**SPOT, side="buy", qty="0.1", price="50000")
    alice.cancel(second["orderId"])
    assert alice.open_orders() == []
    seen = bourse.requests(account="alice", path="place-order")
    assert [(each["method"], each["code"]) for each in seen] == [("POST", "00000")] * 2


def test_is_not_that_of_another_test(bourse: Bourse) -> None:
    assert bourse.account("alice").balances()["USDT"] == "100000"
    assert bourse.requests(account="bob") == []


def test_moves_prices_and_time(bourse: Bourse) -> None:
    alice = bourse.account("alice")
    open_position(bourse)
    bourse.shock("BTC", -10, seconds=5)
    assert float(alice.positions()[0]["markPrice"]) < 58_000
    bourse.price("BTCUSDT", "61000")

    before = alice.balances()["USDT"]
    happened = bourse.advance(to=datetime(2026, 1, 1, 0, 15, tzinfo=timezone.utc))
    assert (happened.end, bourse.now()) == (happened.end, happened.end)
    happened = bourse.advance(next="candle:1m")
    assert (happened.end, happened.happened) == (datetime(2026, 1, 1, 0, 16, tzinfo=timezone.utc), [])
    bourse.set_clock("scaled:60")
    bourse.set_clock("manual")
    assert bourse.now() >= happened.end
    bourse.advance(to=datetime(2026, 1, 1, 0, 30, tzinfo=timezone.utc))
    assert bourse.advance("1m30s").end == datetime(2026, 1, 1, 0, 31, 30, tzinfo=timezone.utc)
    # The price holds beyond the 15 minutes that a report counts for.
    assert alice.place(**FUTURES, side="buy", price="58000")["orderStatus"] == "new"
    bourse.force_funding("BTCUSDT")
    assert alice.balances()["USDT"] != before


def test_forces(bourse: Bourse) -> None:
    open_position(bourse)
    bourse.force_liquidation("alice")
    assert bourse.account("alice").positions() == []
    bourse.force_halt()
    with pytest.raises(BourseError):
        bourse.account("bob").place(**SPOT, side="buy", qty="0.1", price="59000")
    bourse.force_resume()
    bourse.account("bob").place(**SPOT, side="buy", qty="0.1", price="59000")


def test_explains(bourse: Bourse) -> None:
    with pytest.raises(BourseError):
        bourse.account("bot").place(**{**FUTURES, "qty": "900"}, side="buy", price="60000", clientOid="too-large")
    explained = bourse.explain(client_oid="too-large", account="bot")
    assert explained["verdict"] == "refused: insufficientMargin"
    assert explained["rightWouldBe"].startswith("a quantity of at most ")
    assert bourse.explain(command=explained["command"]["seq"], others=True)["checks"] == explained["checks"]
    with pytest.raises(BourseError, match="ask about one at a time"):
        bourse.explain(command=1, fill="1000000000000000001")


def test_server_is_shared(bourse_server: Bourse) -> None:
    ann = bourse_server.open_account("ann", {"USDT": "1000"})
    assert ann.balances() == {"USDT": "1000"}


def test_server_keeps_what_a_test_left(bourse_server: Bourse, monkeypatch: pytest.MonkeyPatch) -> None:
    ann = bourse_server.account("ann")
    ann.deposit("BTC", "1")
    assert ann.balances() == {"BTC": "1", "USDT": "1000"}
    with pytest.raises(BourseError) as refused:
        ann.place(**SPOT, side="buy", qty="1", price="59000")
    assert refused.value.code.isdigit()
    with pytest.raises(LookupError, match="no account 'nobody'; there are alice, bob, bot, maker, ann"):
        bourse_server.account("nobody")
    with pytest.raises(LookupError, match="no price of 'ETH' was set; there are BTCUSDT"):
        bourse_server.shock("ETH", 1)
    with pytest.raises(TypeError, match="span such as 8h"):
        bourse_server.advance("soon")


def test_session_as_a_file_and_its_referee(bourse_server: Bourse, tmp_path: Path) -> None:
    carl = bourse_server.open_account("carl", {"USDT": "1000"})
    order = carl.place(**SPOT, side="buy", qty="0.01", price="59000")
    report = bourse_server.referee("carl")
    assert report["trading"]["orders"]["open"] == 1
    assert [each["name"] for each in report["findings"] if each["count"] > 0] == ["left-orders"]
    carl.cancel(order["orderId"])
    assert bourse_server.referee("carl", since="1h")["rules"]["left"]["orders"] == 0

    file = tmp_path / "bug.capsule"
    bourse_server.capsule(file)
    whole = file.stat().st_size
    bourse_server.capsule(file, since="1s", anonymise=True)
    assert 0 < file.stat().st_size < whole
    with pytest.raises(BourseError) as refused:
        bourse_server.capsule(file, snapshot="none")
    assert refused.value.code == "unknown_snapshot"


def test_ccxt_options(bourse_server: Bourse) -> None:
    options: dict[str, Any] = bourse_server.ccxt("bot")
    assert (options["apiKey"], options["urls"]["api"]["uta"]) == ("demo-bot", bourse_server.url)
    assert "apiKey" not in bourse_server.ccxt()


def test_a_market_has_its_own_prices() -> None:
    with start_bourse(Options(instruments=["SPOT:BTCUSDT"], market="normal")) as bourse:
        assert bourse.advance("5s").events["trade"] > 0
        bourse.shock("BTC", 5)


def test_faults_and_outages(bourse: Bourse) -> None:
    bot = bourse.account("bot")
    lost = bourse.fault({"drop": "after"}, {"account": "bot", "path": "trade/place-order", "times": 1})
    with pytest.raises(OSError):
        bot.place(**SPOT, side="buy", qty="0.1", price="59000")
    assert (lost.hits, len(bot.open_orders())) == (1, 1)
    lost.remove()
    bourse.force_outage(0.1, "kill")
    assert len(bot.open_orders()) == 1
    with pytest.raises(BourseError, match="drop is before"):
        bourse.fault({"drop": "never"})


def test_runs_a_scenario(bourse: Bourse) -> None:
    steps = [{"at": "5s", "halt": True}, {"at": "6s", "expect": {"halted": True}}, {"at": "7s", "resume": True}]
    report = bourse.run({"scenario": "a halt", "steps": steps})
    assert report["ok"], report


def test_what_is_not_there(bourse_server: Bourse) -> None:
    for call, words in (
        (lambda: bourse_server.account("nobody"), "there are alice, bob, bot, maker"),
        (lambda: bourse_server.advance("soon"), "must be a span such as 8h"),
        (lambda: bourse_server.advance(), "give one of a span"),
        (lambda: bourse_server.set_clock("sundial"), "clock must be wall, manual"),
        (lambda: bourse_server.fault({"explode": 1}), "must name one of latency, drop"),
        (lambda: bourse_server.run("nowhere"), "no shipped scenario"),
        (lambda: bourse_server.explain(), "say what to explain"),
        (lambda: bourse_server.referee("bot", since="soon"), "span such as 10m"),
    ):
        with pytest.raises((BourseError, LookupError, TypeError), match=words):
            call()
    assert bourse_server.open_account("two words").balances() == {}
