"""An account of the exchange: signed calls of the public interface, and deposits by the operator."""

from __future__ import annotations

import base64
import hashlib
import hmac
import itertools
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from . import http
from .errors import BourseError
from .operator import Operator

OK = "00000"
PAGE = 100
FUTURES = ("USDT-FUTURES", "USDC-FUTURES", "COIN-FUTURES")

_deposits = itertools.count(time.time_ns())


@dataclass(frozen=True)
class Account:
    """The calls that tests need most; for all others there is ccxt."""

    name: str
    uid: str
    api_key: str
    secret_key: str = field(repr=False)
    passphrase: str = field(repr=False)
    url: str = field(repr=False)
    operator: Operator = field(repr=False)

    def balances(self) -> dict[str, str]:
        """Balance by coin."""
        assets = self.call("GET", "/api/v3/account/assets")["assets"]
        return {asset["coin"]: asset["balance"] for asset in assets}

    def open_orders(self) -> list[dict[str, Any]]:
        orders: list[dict[str, Any]] = []
        cursor = ""
        while True:
            page = self.call("GET", f"/api/v3/trade/unfilled-orders?limit={PAGE}{cursor}")
            found = page["list"] or []
            orders += found
            if len(found) < PAGE or not page.get("cursor"):
                return orders
            cursor = f"&cursor={page['cursor']}"

    def positions(self) -> list[dict[str, Any]]:
        path = "/api/v3/position/current-position?category="
        return [row for category in FUTURES for row in self.call("GET", path + category)["list"] or []]

    def place(self, **order: Any) -> dict[str, Any]:
        """Places an order as the interface takes it, and answers as it stands then."""
        placed = self.call("POST", "/api/v3/trade/place-order", order)
        found: dict[str, Any] = self.call("GET", f"/api/v3/trade/order-info?orderId={placed['orderId']}")
        return found

    def cancel(self, order_id: str) -> None:
        self.call("POST", "/api/v3/trade/cancel-order", {"orderId": order_id})

    def deposit(self, coin: str, amount: str) -> None:
        body = {"account": self.name, "coin": coin, "amount": amount, "reference": f"pytest-{next(_deposits)}"}
        self.operator.post("/admin/deposits", body)

    def call(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """Any call of the interface, signed. Raises BourseError with the code when it is refused."""
        text = "" if body is None else json.dumps(body)
        timestamp = str(time.time_ns() // 1_000_000)
        signed = hmac.new(self.secret_key.encode(), (timestamp + method + path + text).encode(), hashlib.sha256)
        headers = {
            "ACCESS-KEY": self.api_key,
            "ACCESS-SIGN": base64.b64encode(signed.digest()).decode(),
            "ACCESS-TIMESTAMP": timestamp,
            "ACCESS-PASSPHRASE": self.passphrase,
        }
        answer = http.call(method, self.url + path, headers, text or None)
        if answer["code"] != OK:
            raise BourseError(answer["code"], answer["msg"])
        return answer["data"]
