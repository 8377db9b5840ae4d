"""What can go wrong, with a hint on how to fix it."""

from __future__ import annotations

import httpx

#: The status of an error when the server did not answer at all, or not as Cairn does.
NO_ANSWER = 0


class CairnError(Exception):
    """Whatever goes wrong with a call: ``detail`` says what, ``hint`` what to do next. ``status`` is that of the server's
    answer, and 0 if none came."""

    def __init__(self, status: int, detail: str, hint: str, request_id: str | None = None) -> None:
        super().__init__(f"{detail} ({hint})" if hint else detail)
        self.status = status
        self.detail = detail
        self.hint = hint
        self.request_id = request_id

    @classmethod
    def of(cls, response: httpx.Response) -> "CairnError":
        """A refusal."""
        try:
            problem = response.json()
        except ValueError:
            problem = {}
        if not isinstance(problem, dict):
            problem = {}
        detail = problem.get("detail") or f"the server answered {response.status_code}"
        return cls(response.status_code, detail, problem.get("hint", ""), problem.get("request_id"))

    @classmethod
    def unanswered(cls, url: object, error: Exception) -> "CairnError":
        """Nothing listens there, the connection broke, or the answer took too long."""
        if isinstance(error, httpx.TimeoutException):
            return cls(NO_ANSWER, f"{url} did not answer in time", "ask again, or give the client a longer `timeout`")
        what = str(error) or type(error).__name__
        hint = "start it with `cairn serve`, or say with `url` or CAIRN_URL where it runs"
        return cls(NO_ANSWER, f"no server answers at {url}: {what}", hint)

    @classmethod
    def foreign(cls, url: object) -> "CairnError":
        """An answer that is no JSON: of a proxy, or of another program."""
        hint = "check `url` or CAIRN_URL; something else may have that address"
        return cls(NO_ANSWER, f"what answers at {url} is not Cairn", hint)

    @classmethod
    def unreadable(cls, error: OSError) -> "CairnError":
        """A file to attach that cannot be read."""
        return cls(NO_ANSWER, f"cannot read {error.filename}: {error.strerror}", "check the path and its permissions")


def refused(detail: str, hint: str) -> CairnError:
    """The refusal of a call that another product has and Cairn cannot keep its promise of. Nothing was sent."""
    return CairnError(400, detail, hint)
