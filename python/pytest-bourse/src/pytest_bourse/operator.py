"""Calls of the operator's interface."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from . import http
from .errors import BourseError, BourseNotFound


OK = 200


@dataclass(frozen=True)
class Operator:
    url: str | None
    token: str | None

    def get(self, path: str) -> Any:
        return self._call("GET", path, None)

    def post(self, path: str, body: Mapping[str, Any] | None = None) -> Any:
        return self._call("POST", path, json.dumps(body or {}))

    def download(self, path: str, body: Mapping[str, Any]) -> bytes:
        """An answer that is a file."""
        status, contents = http.answer("POST", self._url(path), self._headers(), json.dumps(body))
        if status != OK:
            error = json.loads(contents)["error"]
            raise BourseError(error["code"], error["message"])
        return contents

    def delete(self, path: str) -> Any:
        return self._call("DELETE", path, None)

    def _call(self, method: str, path: str, body: str | None) -> Any:
        answer = http.call(method, self._url(path), self._headers(), body)
        if "error" in answer:
            raise BourseError(answer["error"]["code"], answer["error"]["message"])
        return answer

    def _headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}

    def _url(self, path: str) -> str:
        if not self.url or not self.token:
            raise BourseNotFound(
                "this needs the operator's interface: set BOURSE_READY_FILE to the file that the exchange "
                "was started with (--ready-file), or BOURSE_OPERATOR_URL and BOURSE_OPERATOR_TOKEN"
            )
        return self.url + path
