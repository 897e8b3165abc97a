"""Offers to buy and to sell half a percent away from a price, in the place of what it offered before."""

from __future__ import annotations

import ccxt

MARKET = "BTC/USDT"


def quote(exchange: ccxt.Exchange, price: float) -> None:
    for order in exchange.fetch_open_orders(MARKET):
        exchange.cancel_order(order["id"], MARKET)
    for side, factor in (("buy", 0.995), ("sell", 1.005)):
        try:
            exchange.create_order(MARKET, "limit", side, 0.01, price * factor)
        except ccxt.ExchangeError as error:
            # The other side is offered all the same; this one has its turn again at the next price.
            print(side, "was refused:", error)
