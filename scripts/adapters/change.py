"""Does a new statement take a known one's place?"""

import re

import torch
from cases import MANY_CHANGES, turn_before
from reader import Sample, Statement, Turn

MAX_KNOWN, MAX_BEFORE, MAX_NEW = 64, 24, 80
# Pairs that nothing changes between, seen in each epoch: of the same case, of cases beside each other, of plain talk.
OTHERS_SHARE, BESIDE_PAIRS, TALK_PAIRS = 0.15, 1500, 2000
# Cases that are taken for one life, and how like each other two of its statements are.
LIFE_CASES, LEAST_ALIKE, MOST_ALIKE = 60, 0.2, 0.72
# Hardly a case has a turn before its new statement, and a life has one before nearly all: so many pairs get any.
TURN_SHARE = 0.65


def sample(known, before, new, label):
    return Sample((Statement(known, MAX_KNOWN),), (Turn(before, MAX_BEFORE), Statement(new, MAX_NEW)), label)


def variants(case):
    """The pair of a case: the known message whole and, where one of its sentences holds the old value, that sentence."""
    messages, new = case["messages"], case["new"]
    known = messages[case["old"]]["text"]
    texts = [known]
    for sentence in re.split(r"(?<=[.!?])\s+", known):
        if sentence != known and any(value.lower() in sentence.lower() for value in case["retired"]):
            texts.append(sentence)
    label = float(case["kind"] == "update")
    return [(text, turn_before(messages, new), messages[new]["text"], label) for text in texts]


def others(case):
    """Pairs of a case that nothing changes between."""
    messages, (old, new) = case["messages"], (case["old"], case["new"])
    apart = {messages[old]["session"], messages[new]["session"]}
    if case["why"] in MANY_CHANGES:
        return
    for place, message in enumerate(messages):
        if message["role"] == "user" and message["session"] not in apart:
            first, second = sorted((place, old)) if place < new else (new, place)
            yield messages[first]["text"], turn_before(messages, second), messages[second]["text"], 0.0


class Task:
    EPOCHS, RATE = 3, 1e-4

    def __init__(self, trainer, cases, conversations):
        self.cases = cases
        self.extra = [pair for case in cases for pair in others(case)]
        self.turns = [message["text"] for messages in conversations for message in messages]
        self.turns += [message["text"] for case in cases for message in case["messages"]]
        self.talk = list(talk_pairs(trainer, conversations))
        self.beside = list(beside_pairs(trainer, cases))

    def epoch(self, chance):
        def with_turn(pair):
            known, turn, new, label = pair
            return (known, chance.choice(self.turns), new, label) if not turn and chance.random() < TURN_SHARE else pair

        pairs = [chance.choice(variants(case)) for case in self.cases]
        pairs += chance.sample(self.extra, int(len(self.extra) * OTHERS_SHARE)) + chance.sample(self.beside, BESIDE_PAIRS)
        pairs = [with_turn(pair) for pair in pairs] + chance.sample(self.talk, TALK_PAIRS)
        return [sample(*pair) for pair in pairs]

    @staticmethod
    def reported(trainer, cases, conversations):
        del trainer, conversations
        return [sample(*variants(case)[0]) for case in cases]


def talk_pairs(trainer, conversations):
    """Messages of plain talk with the earlier ones they are most like: next to nothing changes between them."""
    for messages in conversations:
        alike = trainer.vectors([message["text"] for message in messages])
        alike = alike @ alike.T
        for place in range(1, len(messages)):
            for earlier in alike[place, :place].argsort(descending=True)[:4].tolist():
                yield messages[earlier]["text"], turn_before(messages, place), messages[place]["text"], 0.0


def beside_pairs(trainer, cases):
    """Messages with those of other cases they are most like, as if one person had told them all."""
    for start in range(0, len(cases), LIFE_CASES):
        told = [
            (number, message["text"], turn_before(case["messages"], place))
            for number, case in enumerate(cases[start : start + LIFE_CASES])
            for place, message in enumerate(case["messages"])
            if message["role"] == "user"
        ]
        vectors = trainer.vectors([text for _, text, _ in told])
        numbers = torch.tensor([number for number, _, _ in told])
        for place, (number, text, turn) in enumerate(told):
            alike = vectors @ vectors[place]
            alike = alike.masked_fill((numbers == number) | (alike > MOST_ALIKE), -1.0)
            for other in alike.argsort(descending=True)[:3].tolist():
                if alike[other] > LEAST_ALIKE:
                    yield told[other][1], turn, text, 0.0
