"""ccxt for Python: place orders, change one, cancel them.

The program goes on when the exchange is restarted underneath it, and no order is placed twice.

    pip install ccxt
    python3 examples/ccxt_orders.py
"""

import os
import time

import ccxt

API = os.environ.get("BOURSE_URL", "http://127.0.0.1:8787")
COUNT = int(os.environ.get("ORDERS", "3"))
RUN = format(int(time.time() * 1000), "x")

exchange = ccxt.bitget(
    {
        "apiKey": os.environ.get("BOURSE_API_KEY", "demo-alice"),
        "secret": os.environ.get("BOURSE_SECRET_KEY", "demo-alice-secret"),
        "password": os.environ.get("BOURSE_PASSPHRASE", "demo"),
        "options": {"uta": True},
    }
)
for name in ("uta", "spot", "common", "mix"):
    exchange.urls["api"][name] = API


def patiently(call):
    """Until the exchange answers again."""
    while True:
        try:
            return call()
        except ccxt.NetworkError as error:
            print("waiting:", type(error).__name__)
            time.sleep(0.3)


def place_once(client_order_id, price):
    """A lost answer leaves the outcome open: the client id tells whether the order is there."""
    while True:
        try:
            return exchange.create_order(
                "BTC/USDT", "limit", "buy", 0.001, price, {"clientOrderId": client_order_id}
            )
        except ccxt.BaseError as error:
            if not isinstance(error, ccxt.NetworkError) and '"code":"25212"' not in str(error):
                raise
            for order in patiently(lambda: exchange.fetch_open_orders("BTC/USDT")):
                if order["clientOrderId"] == client_order_id:
                    return order


patiently(exchange.load_markets)
balance = patiently(exchange.fetch_balance)
print("balance", balance["USDT"]["free"], "USDT")

placed = [place_once(f"{RUN}-{n}", 30_000) for n in range(COUNT)]
patiently(lambda: exchange.edit_order(placed[0]["id"], "BTC/USDT", "limit", "buy", 0.001, 30_100))

mine = [o for o in patiently(lambda: exchange.fetch_open_orders("BTC/USDT")) if o["clientOrderId"].startswith(RUN)]
print(len(mine), "of", COUNT, "orders open,", len({order["id"] for order in mine}), "different")
for order in mine:
    patiently(lambda: exchange.cancel_order(order["id"], "BTC/USDT"))
last = patiently(lambda: exchange.fetch_order(placed[0]["id"], "BTC/USDT"))
print("the first was changed to", last["price"], "and is", last["status"])
