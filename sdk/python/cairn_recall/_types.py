"""The answers of the server. Each type has the name of its schema in the OpenAPI document, which the tests compare."""

from __future__ import annotations

from typing import Any, Literal, Optional, TypedDict


class _Decision(TypedDict):
    verdict: Literal["create", "update", "reinforce", "supersede", "skip"]
    reason: str


class Decision(_Decision, total=False):
    """The verdict on one statement of a message. The memory is under ``ref``."""

    ref: str
    supersedes: str


class _Remembered(TypedDict):
    exchange: str
    message: str
    duplicate: bool
    decisions: list[Decision]


class Remembered(_Remembered, total=False):
    """A message that is kept, and what was decided for it."""

    pending: bool
    reasons: list[dict[str, Any]]


class HitMemory(TypedDict, total=False):
    """A memory of a hit, in short."""

    ref: str
    text: str
    status: str
    valid_from: str
    valid_until: Optional[str]


class HitDoubt(HitMemory, total=False):
    """A newer memory that may have changed a hit, and why."""

    reason: str


class Hit(TypedDict, total=False):
    """Something that answers. What it is stands under ``kind``, its address under ``ref``; how sure it is that it answers
    under ``confidence``, and what is remembered of it, with its status, under ``memories``."""

    ref: str
    kind: str
    text: str
    score: float
    confidence: float
    at: str
    role: Optional[str]
    speaker: Optional[str]
    session: Optional[str]
    thread: Optional[str]
    source_ids: list[str]
    memories: list[HitMemory]
    superseded: bool
    superseded_by: Optional[HitMemory]
    may_have_changed: list[HitDoubt]
    last_state: str
    vicarious: dict[str, Any]
    file: dict[str, Any]
    why: dict[str, Any]


class Recall(TypedDict, total=False):
    """The answer to a question."""

    query: str
    intent: str
    shape: str
    hits: list[Hit]
    computed: list[dict[str, Any]]
    empty: dict[str, Any]
    intentions: "list[Intention]"
    procedures: "list[SkillProcedure]"
    lexical_only: bool
    lexical_only_because: Any
    away: list[str]
    pending_embeddings: int
    elapsed_ms: float


class Message(TypedDict, total=False):
    """A message in full, as it was said."""

    ref: str
    exchange: str
    source_ids: list[str]
    session: str
    thread: Optional[str]
    role: str
    speaker: str
    at: str
    recorded_at: str
    text: str
    metadata: dict[str, Any]


class MemoryRecord(TypedDict, total=False):
    """A memory in full."""

    ref: str
    text: str
    form: str
    category: str
    status: str
    tier: str
    session: Optional[str]
    thread: Optional[str]
    valid_from: str
    valid_until: Optional[str]
    recorded_at: str
    pinned: bool
    source_confidence: float
    importance: float
    utility: float


class Handoff(TypedDict, total=False):
    """Where a thread, or the last session, stood."""

    scope: str
    health: Literal["absent", "fresh", "stale", "orphaned", "consumed", "quarantined"]
    written_at: str
    thread: str
    session: str
    exchanges: int
    compactions: int
    sections: list[dict[str, Any]]
    text: str


class AttachmentReceipt(TypedDict, total=False):
    """The receipt of a file. The file itself is not kept."""

    ref: str
    kind: Literal["text", "code", "data", "document", "image", "other"]
    name: str
    mime: str
    bytes: int
    sha256: str
    source: str
    pages: int
    text_chars: int
    excerpt: str
    route: str
    note: str
    attached_at: str


class Attachment(AttachmentReceipt, total=False):
    """A file that was attached, as it stands now."""

    state: Literal["there", "changed", "moved", "gone", "uploaded"]
    moved_to: str
    verification_gap: str
    turns: list[dict[str, Any]]


class AttachedFile(TypedDict, total=False):
    """The outcome for one file: a receipt, or a problem."""

    file: str
    receipt: AttachmentReceipt
    known: bool
    problem: str
    hint: str


class Intention(TypedDict, total=False):
    """Something that was asked to be told later, or promised."""

    ref: str
    state: Literal["due", "pending", "done", "dropped", "expired"]
    role: str
    at: str
    text: str
    trigger: Literal["day", "person", "file", "topic", "anytime"]
    subject: str
    due: str
    time: str


class SkillFix(TypedDict, total=False):
    """A step after which something worked again."""

    label: str
    ref: str


class SkillFailure(TypedDict, total=False):
    """How something failed last, and what fixed it."""

    line: str
    ref: str
    fixed_by: list[SkillFix]


class Skill(TypedDict, total=False):
    """How one thing that is done with a tool went."""

    tool: str
    kind: str
    tried: int
    worked: int
    median_ms: int
    last_at: str
    failure: SkillFailure


class SkillStep(TypedDict, total=False):
    """A step of a procedure."""

    label: str
    command: str


class SkillProcedure(TypedDict, total=False):
    """Steps that worked in the same order again and again."""

    thread: str
    steps: list[SkillStep]
    worked: int
    failed_since: int
    confidence: float
    last_at: str
    evidence: list[str]


class ProjectSkills(TypedDict, total=False):
    """How work with tools went in one project."""

    thread: str
    calls: int
    since: str
    skills: list[Skill]
    procedures: list[SkillProcedure]


class Stats(TypedDict, total=False):
    """How much an agent holds and what it takes."""

    agent: str
    messages: int
    memories: int
    entities: int
    pending_embeddings: int
    disk_bytes: int
