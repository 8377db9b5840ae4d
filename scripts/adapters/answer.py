"""Of two statements that fit a question, does the newer one answer it now?"""

import random

import torch
from cases import MANY_CHANGES, turn_before
from reader import Sample, Statement, Turn

MAX_QUESTION, MAX_BEFORE_OLDER, MAX_OLDER, MAX_BEFORE_NEWER, MAX_NEWER = 32, 16, 56, 20, 72
# Seen in each epoch beside the pair of every case: so many pairs with something else that was said, and with what was said in
# other cases and is like the question.
EXTRA_SHARE, STRANGER_SHARE = 0.2, 0.8
# Of pairs with strangers so many hold two of them: neither answers.
NEITHER_SHARE = 0.12
# Strangers that are kept for a question, of the nearest; one that is nearer than this might answer.
STRANGERS, NEAREST, MOST_ALIKE = 8, 14, 0.62
# Cases whose statements are compared with each other's questions.
COMPARED_CASES = 5_000


def holds_answer(case, place):
    text = case["messages"][place]["text"].lower()
    return all(answer.lower() in text for answer in case["answer"])


def said(case, place):
    """The turn before a message, and the message."""
    return turn_before(case["messages"], place), case["messages"][place]["text"]


def sample(question, older, newer, label):
    return Sample(
        (Statement(question, MAX_QUESTION),),
        (Turn(older[0], MAX_BEFORE_OLDER), Statement(older[1], MAX_OLDER), Turn(newer[0], MAX_BEFORE_NEWER), Statement(newer[1], MAX_NEWER)),
        label,
    )


def main_sample(case):
    """The known statement of a case and the new one; none where both hold the answer, or the wrong one does."""
    old, new, changed = case["old"], case["new"], case["kind"] == "update"
    if old >= new or holds_answer(case, old if changed else new):
        return None
    return sample(case["question"], said(case, old), said(case, new), float(changed))


def extra_samples(case):
    """What answers beside other statements of the case."""
    messages, changed = case["messages"], case["kind"] == "update"
    right = case["new"] if changed else case["old"]
    users = [place for place, message in enumerate(messages) if message["role"] == "user"]
    if case["why"] in MANY_CHANGES:
        others = [place for place in users if place < right] if changed else []
    else:
        others = [place for place in users if place not in (case["old"], case["new"])]
    for place in others:
        if not holds_answer(case, place):
            older, newer = sorted((place, right))
            yield sample(case["question"], said(case, older), said(case, newer), float(newer == right))


def strangers(trainer, cases):
    """For each case its right answer, and what was said in other cases that is like its question."""
    told = [
        (number, said(case, place))
        for number, case in enumerate(cases)
        for place, message in enumerate(case["messages"])
        if message["role"] == "user"
    ]
    vectors = trainer.vectors([text for _, (_, text) in told])
    questions = trainer.vectors([case["question"] for case in cases])
    numbers = torch.tensor([number for number, _ in told])
    for number, case in enumerate(cases):
        right = case["new"] if case["kind"] == "update" else case["old"]
        if not holds_answer(case, right):
            continue
        alike = (vectors @ questions[number]).masked_fill(numbers == number, -1.0)
        answers = [answer.lower() for answer in case["answer"]]
        near = [
            told[place][1]
            for place in alike.topk(min(NEAREST, len(told))).indices.tolist()
            if alike[place] < MOST_ALIKE and not any(answer in told[place][1][1].lower() for answer in answers)
        ]
        if near:
            yield case["question"], said(case, right), near[:STRANGERS]


def stranger_sample(chance, question, right, near):
    if chance.random() < NEITHER_SHARE and len(near) > 1:
        return sample(question, *chance.sample(near, 2), 0.5)
    stranger = chance.choice(near)
    return sample(question, stranger, right, 1.0) if chance.random() < 0.5 else sample(question, right, stranger, 0.0)


class Task:
    EPOCHS, RATE = 2, 1e-4

    def __init__(self, trainer, cases, conversations):
        del conversations
        self.main = [made for made in map(main_sample, cases) if made]
        self.extra = [made for case in cases for made in extra_samples(case)]
        compared = random.Random(1).sample(cases, min(len(cases), COMPARED_CASES))
        self.strangers = list(strangers(trainer, compared))

    def epoch(self, chance):
        extra = chance.sample(self.extra, min(len(self.extra), int(len(self.main) * EXTRA_SHARE)))
        count = int(len(self.main) * STRANGER_SHARE)
        return self.main + extra + [stranger_sample(chance, *chance.choice(self.strangers)) for _ in range(count)]

    @staticmethod
    def reported(trainer, cases, conversations):
        del trainer, conversations
        return [made for made in map(main_sample, cases) if made]
