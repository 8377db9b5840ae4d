"""Errors, each with a hint on how to fix it."""

from __future__ import annotations

import httpx


class CairnError(Exception):
    """A refusal of the server: ``detail`` says what was wrong, ``hint`` what to do next."""

    def __init__(self, status: int, detail: str, hint: str, request_id: str | None) -> None:
        super().__init__(f"{detail} ({hint})" if hint else detail)
        self.status = status
        self.detail = detail
        self.hint = hint
        self.request_id = request_id

    @classmethod
    def of(cls, response: httpx.Response) -> "CairnError":
        try:
            problem = response.json()
        except ValueError:
            problem = {}
        if not isinstance(problem, dict):
            problem = {}
        detail = problem.get("detail") or f"the server answered {response.status_code}"
        return cls(response.status_code, detail, problem.get("hint", ""), problem.get("request_id"))
