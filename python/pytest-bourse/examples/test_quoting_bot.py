"""The bot on an exchange of its own: `pip install ccxt pytest-bourse`, then `pytest`."""

from __future__ import annotations

import ccxt
from quoting_bot import quote

from pytest_bourse import Bourse

SPOT = {"category": "SPOT", "symbol": "BTCUSDT", "orderType": "limit", "qty": "0.01"}


def test_earns_the_spread(bourse: Bourse) -> None:
    quote(ccxt.bitget(bourse.ccxt("bot")), 60_000)
    alice = bourse.account("alice")
    alice.place(**SPOT, side="buy", price="60300")
    alice.place(**SPOT, side="sell", price="59700")
    # 6 for the spread, less a fee of 0.603; the fee for what it bought is paid in BTC.
    assert bourse.account("bot").balances()["USDT"] == "100005.397"


def test_quotes_again_after_a_refused_order(bourse: Bourse) -> None:
    poor = bourse.open_account("poor", {"USDT": "600"})
    exchange = ccxt.bitget(bourse.ccxt("poor"))
    quote(exchange, 60_000)
    assert [order["side"] for order in poor.open_orders()] == ["buy"]
    poor.deposit("BTC", "1")
    quote(exchange, 60_000)
    assert sorted(order["side"] for order in poor.open_orders()) == ["buy", "sell"]
