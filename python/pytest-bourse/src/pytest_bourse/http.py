"""JSON over HTTP with the standard library: a test needs no client of its own for this."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Any

#: An advance of the clock by days answers when everything has happened.
TIMEOUT_S = 600

# The exchange is on this machine: no proxy of the environment leads to it.
_opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def call(method: str, url: str, headers: Mapping[str, str], body: str | None) -> Any:
    """The document that was answered, whatever the status."""
    return json.loads(answer(method, url, headers, body)[1])


def answer(method: str, url: str, headers: Mapping[str, str], body: str | None) -> tuple[int, bytes]:
    """Status and contents."""
    data = None if body is None else body.encode()
    all_headers = dict(headers) if data is None else {"Content-Type": "application/json", **headers}
    request = urllib.request.Request(url, data=data, headers=all_headers, method=method)
    try:
        with _opener.open(request, timeout=TIMEOUT_S) as response:
            return response.status, response.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()
