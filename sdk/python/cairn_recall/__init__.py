"""A memory for agents: every word kept, found again, and explained. Talks to ``cairn serve``."""

from ._client import AsyncMemory, Memory
from ._errors import CairnError
from ._types import AttachedFile, Attachment, AttachmentReceipt, Decision, Handoff, Hit, HitDoubt, HitMemory, Intention, MemoryRecord, Message, ProjectSkills, Recall, Remembered, Skill, SkillProcedure, Stats

__all__ = [
    "AsyncMemory",
    "AttachedFile",
    "Attachment",
    "AttachmentReceipt",
    "CairnError",
    "Decision",
    "Handoff",
    "Hit",
    "HitDoubt",
    "HitMemory",
    "Intention",
    "Memory",
    "MemoryRecord",
    "Message",
    "ProjectSkills",
    "Recall",
    "Remembered",
    "Skill",
    "SkillProcedure",
    "Stats",
]
