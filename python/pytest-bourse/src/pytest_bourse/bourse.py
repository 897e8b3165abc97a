"""A running exchange as a test sees it. Everything goes through the operator's interface or the public one."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.parse import quote, urlencode

from . import http
from .account import Account
from .errors import BourseError
from .operator import Operator

#: A price of the operator counts for 15 minutes: those that a test has set are reported again this often.
HELD = timedelta(minutes=10)
DECIMALS = 8
LOOK_SECONDS = 0.02


@dataclass(frozen=True)
class Happened:
    start: datetime
    end: datetime
    #: Number of events by type, such as `fill` or `fundingSettled`.
    events: dict[str, int]
    #: What concerned somebody, in order: `time`, `what`, and where they apply `account`, `symbol`, `coin`, `amount`.
    happened: list[dict[str, Any]]


@dataclass(frozen=True)
class Fault:
    id: str
    _operator: Operator

    def view(self) -> dict[str, Any]:
        faults: list[dict[str, Any]] = self._operator.get("/lab/faults")["faults"]
        for fault in faults:
            if fault["id"] == self.id:
                return fault
        raise LookupError(f"the fault {self.id} is no longer there")

    @property
    def hits(self) -> int:
        """How often it has happened."""
        return int(self.view()["hits"])

    def remove(self) -> None:
        self._operator.delete(f"/lab/faults/{self.id}")


class Bourse:
    """`facts` are those of the ready file; `end` ends the exchange, if it is ours."""

    def __init__(self, facts: Mapping[str, Any], end: Callable[[], None] = lambda: None) -> None:
        self.url: str = facts["url"]
        self.ws_url: str = facts["wsUrl"]
        self.operator_url: str | None = facts.get("operatorUrl")
        self.operator_token: str | None = facts.get("operatorToken")
        self._operator = Operator(self.operator_url, self.operator_token)
        self._end = end
        self._prices: dict[str, str] = {}
        self._accounts: dict[str, Account] = {}
        for each in facts["accounts"]:
            self._keep(each["name"], each["uid"], each["apiKey"], each["secretKey"], each["passphrase"])

    @property
    def accounts(self) -> list[Account]:
        return list(self._accounts.values())

    def account(self, name: str) -> Account:
        if name not in self._accounts:
            names = ", ".join(self._accounts)
            raise LookupError(f"there is no account {name!r}; there are {names}")
        return self._accounts[name]

    def open_account(self, name: str, funds: Mapping[str, str] | None = None) -> Account:
        """A new account with a key and these amounts by coin."""
        self._operator.post("/admin/accounts", {"name": name})
        made = self._operator.post(f"/admin/accounts/{quote(name, safe='')}/keys", {"label": "pytest"})
        key = made["key"]
        account = self._keep(name, key["uid"], key["apiKey"], made["secretKey"], made["passphrase"])
        for coin, amount in (funds or {}).items():
            account.deposit(coin, amount)
        return account

    def ccxt(self, account: str | None = None) -> dict[str, Any]:
        """Options of ccxt's class for this exchange, with the keys of the account, or without."""
        api: dict[str, Any] = dict.fromkeys(("uta", "spot", "common", "mix"), self.url)
        api["ws"] = {"utaPublic": f"{self.ws_url}/public", "utaPrivate": f"{self.ws_url}/private"}
        options: dict[str, Any] = {"options": {"uta": True}, "urls": {"api": api}}
        if account is not None:
            keys = self.account(account)
            options |= {"apiKey": keys.api_key, "secret": keys.secret_key, "password": keys.passphrase}
        return options

    def price(self, index: str, price: str) -> None:
        """Sets an index price. It holds until the next one; marks follow with the next second."""
        self._operator.post("/admin/prices", {"index": index, "price": price})
        self._prices[index] = price

    def shock(self, coin: str, percent: float, seconds: int = 0) -> None:
        """Moves the prices of a coin by so many percent: the market's, or without one those that were set."""
        if self._has_market():
            self._operator.post("/admin/market/shock", {"coin": coin, "percent": percent, "seconds": seconds})
            return
        indices = [index for index in self._prices if index.startswith(coin)]
        if not indices:
            known = ", ".join(self._prices) or "none"
            raise LookupError(f"no price of {coin!r} was set; there are {known}: call price() first")
        factor = (1 + percent / 100) ** (1 / max(1, seconds))
        for _ in range(max(1, seconds)):
            for index in indices:
                self.price(index, _scaled(self._prices[index], factor))
            if seconds > 0:
                self.advance("1s")

    def open_contracts(self) -> None:
        """Futures that wait for a first price."""
        now_ms = self.now().timestamp() * 1000
        for each in self._operator.get("/admin/instruments")["instruments"]:
            # One with a launch to come opens by itself.
            if each["status"] == "listed" and (each["launchTime"] or 0) <= now_ms:
                body = {"category": each["category"], "symbol": each["symbol"], "status": "online"}
                self._operator.post("/admin/instruments/status", body)

    def advance(
        self, by: str | None = None, *, to: datetime | None = None, next: str | None = None
    ) -> Happened:
        """Moves a manual clock by a span such as `8h`, to an instant, or to the next `funding`, `interest`, `delivery`,
        `candle:1H` or `any` of these; returns when everything due has happened."""
        start = self.now()
        if [by, to, next].count(None) != 2:
            raise TypeError("give one of a span such as '8h', to=, an instant, and next=, such as 'funding'")
        if next is not None:
            to = self._next(next)
        if to is not None and to.tzinfo is None:
            raise TypeError("to= needs a time zone: datetime(..., tzinfo=timezone.utc)")
        end = start + _span(by) if by is not None else to
        assert end is not None
        events: dict[str, int] = {}
        happened: list[dict[str, Any]] = []
        now = start
        while True:
            now = min(end, now + HELD) if self._prices else end
            part = self._operator.post("/lab/clock/advance", {"to": now.isoformat()})
            happened += [{**row, "time": _instant(row["time"])} for row in part["happened"]]
            for kind, count in part["events"].items():
                events[kind] = events.get(kind, 0) + count
            if now >= end:
                return Happened(start, end, events, happened)
            for index, price in self._prices.items():
                self.price(index, price)

    def now(self) -> datetime:
        """The exchange's time."""
        return _instant(self._operator.get("/admin/clock")["time"])

    def set_clock(self, clock: str) -> None:
        """Another clock from the present time on: `manual`, `wall` or `scaled:60`."""
        self._operator.post("/lab/clock/mode", {"clock": clock})

    def force_liquidation(self, account: str) -> None:
        self._operator.post("/admin/force/liquidation", {"account": self.account(account).name})

    def force_funding(self, symbol: str, category: str = "USDT-FUTURES") -> None:
        self._operator.post("/admin/force/funding", {"category": category, "symbol": symbol})

    def force_halt(self) -> None:
        self._operator.post("/admin/halt")

    def force_resume(self) -> None:
        self._operator.post("/admin/resume")

    def force_outage(self, seconds: float, how: str = "clean") -> None:
        """Ports are closed for so many seconds of the machine; returns when the exchange is back."""
        fault = self.fault({"outage": seconds, "how": how})
        time.sleep(seconds)
        down = False
        while True:
            time.sleep(LOOK_SECONDS)
            over = self._is_over(fault)
            up = self._is_up()
            down = down or over is None or not up
            if over is not None and up and (down or over):
                break
        fault.remove()

    def fault(self, do: Mapping[str, Any], when: Mapping[str, Any] | None = None) -> Fault:
        """Something goes wrong from now on; docs/lab.md has what can."""
        made = self._operator.post("/lab/faults", {"when": dict(when or {}), "do": dict(do)})
        return Fault(made["id"], self._operator)

    def run(self, scenario: Mapping[str, Any] | str) -> dict[str, Any]:
        """Runs a scenario here: a document, the name of a shipped one, or a file. Returns its report."""
        body = {"file": scenario} if isinstance(scenario, str) else {"document": dict(scenario)}
        report: dict[str, Any] = self._operator.post("/lab/scenarios", body)
        return report

    def _is_over(self, fault: Fault) -> bool | None:
        try:
            return bool(fault.view()["over"])
        except (OSError, BourseError):
            return None

    def _is_up(self) -> bool:
        try:
            http.call("GET", f"{self.url}/api/v3/public/time", {}, None)
        except (OSError, BourseError):
            return False
        return True

    def requests(
        self,
        account: str | None = None,
        code: str | None = None,
        path: str | None = None,
        limit: int | None = None,
    ) -> list[dict[str, Any]]:
        """Requests as the exchange saw them, the oldest first; `path` is a part of it."""
        wanted = {"account": account, "code": code, "path": path, "limit": limit}
        query = urlencode({name: value for name, value in wanted.items() if value is not None})
        found: list[dict[str, Any]] = self._operator.get(f"/admin/requests?{query}")["requests"]
        return found

    def explain(
        self,
        *,
        order_id: str | None = None,
        client_oid: str | None = None,
        account: str | None = None,
        command: int | None = None,
        liquidation: str | None = None,
        fill: str | None = None,
        position: str | None = None,
        symbol: str | None = None,
        others: bool = False,
    ) -> dict[str, Any]:
        """Why something happened, with every number: an order, a fill, a command, a liquidation or a position.

        `client_oid` goes with `account`, `position` (an account) with `symbol`. Other accounts have no name unless asked for.
        """
        wanted = {
            "orderId": order_id,
            "clientOid": client_oid,
            "account": account,
            "command": command,
            "liquidation": liquidation,
            "fill": fill,
            "position": position,
            "symbol": symbol,
            "others": "shown" if others else None,
        }
        query = urlencode({name: value for name, value in wanted.items() if value is not None})
        explained: dict[str, Any] = self._operator.get(f"/lab/explain?{query}")
        return explained

    def capsule(
        self,
        file: str | PathLike[str],
        *,
        since: str | None = None,
        snapshot: str | None = None,
        anonymise: bool = False,
    ) -> None:
        """
        Writes the session to a file that has it again: `bourse lab capsule replay FILE`. From a span such as `10m` ago,
        from a snapshot, or as far back as it is known.
        """
        wanted = {"since": since, "from": snapshot, "anonymise": anonymise}
        body = {name: value for name, value in wanted.items() if value is not None}
        Path(file).write_bytes(self._operator.download("/lab/capsule", body))

    def referee(self, account: str, since: str | None = None) -> dict[str, Any]:
        """What a program did with an account: trading, conduct, faults, rules, and findings by their names."""
        wanted = {"account": self.account(account).name, "since": since}
        query = urlencode({name: value for name, value in wanted.items() if value is not None})
        report: dict[str, Any] = self._operator.get(f"/lab/referee?{query}")
        return report

    def close(self) -> None:
        """Ends the exchange, unless somebody else has started it."""
        self._end()

    def __enter__(self) -> Bourse:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _keep(self, name: str, uid: int | str, api_key: str, secret_key: str, passphrase: str) -> Account:
        account = Account(name, str(uid), api_key, secret_key, passphrase, self.url, self._operator)
        self._accounts[name] = account
        return account

    def _next(self, name: str) -> datetime:
        time: int | None = self._operator.get(f"/lab/clock?{urlencode({'next': name})}")["next"][name]
        if time is None:
            raise LookupError(f"no {name} is to come")
        return _instant(time)

    def _has_market(self) -> bool:
        try:
            self._operator.get("/admin/market")
        except BourseError:
            return False
        return True


def _instant(ms: int) -> datetime:
    return datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(milliseconds=ms)


def _scaled(price: str, factor: float) -> str:
    return f"{float(price) * factor:.{DECIMALS}f}".rstrip("0").rstrip(".")


def _span(text: str) -> timedelta:
    units = {"d": "days", "h": "hours", "m": "minutes", "s": "seconds"}
    rest, total = text, timedelta()
    while rest or not text:
        digits = rest[: len(rest) - len(rest.lstrip("0123456789"))]
        unit = rest[len(digits) : len(digits) + 1]
        if not digits or unit not in units:
            raise TypeError(f"{text!r} must be a span such as 8h, 1d12h, 90s")
        total += timedelta(**{units[unit]: int(digits)})
        rest = rest[len(digits) + 1 :]
    return total
