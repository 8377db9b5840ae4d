"""Would somebody write a clause of a message down?"""

from reader import Label, Sample, Statement, Turn

MAX_CLAUSE, MAX_BEFORE, MAX_MESSAGE, BEFORE_CLAUSE = 48, 24, 72, 16
# How sure it is that a clause is kept of which it was said: nothing, useful, must not be lost.
LABELS = (0.0, 0.8, 1.0)
# Statements of cases of change that are seen in each epoch: nearly all of them would be written down.
CHANGE_SAMPLES = 1_200
# Clauses of plain talk and of messages that hold nothing, seen in each epoch.
PLAIN_SAMPLES = 500


def sample(tokens, clause, role, before, message, label):
    """A clause in its message, of which a long one is read from a little before the clause."""
    place = max(message.find(clause), 0)
    skipped = max(len(tokens(message[:place])) - BEFORE_CLAUSE, 0)
    first = min(skipped, max(len(tokens(message)) - MAX_MESSAGE, 0))
    return Sample(
        (Statement(clause, MAX_CLAUSE),),
        (Label("user:" if role == "user" else "assistant:"), Turn(before, MAX_BEFORE), Statement(message, MAX_MESSAGE, first)),
        label,
    )


def labeled_samples(tokens, messages):
    """Clauses with their labels, and messages without a clause whole."""
    for place, message in enumerate(messages):
        earlier = messages[place - 1] if place else None
        before = earlier["text"] if earlier and earlier["session"] == message["session"] else ""
        text, role = message["text"], message["role"]
        for clause in message.get("clauses", []):
            if clause["text"] in text:
                yield sample(tokens, clause["text"], role, before, text, LABELS[clause["keep"]])
        if not message.get("clauses") and message.get("keep") == 0:
            yield sample(tokens, text, role, before, text, 0.0)


class Task:
    EPOCHS, RATE = 3, 1e-4

    def __init__(self, trainer, cases, conversations):
        made = [one for messages in conversations for one in labeled_samples(trainer.tokens, messages)]
        whole = lambda one: one.first[0].text == one.second[2].text and one.label == 0.0
        self.clauses = [one for one in made if not whole(one)]
        self.plain = [one for one in made if whole(one)]
        self.told = [
            sample(trainer.tokens, message["text"], message["role"], "", message["text"], 1.0)
            for case in cases
            for message in (case["messages"][case["old"]], case["messages"][case["new"]])
            if message["role"] == "user" and len(message["text"]) < 200 and not message["text"].endswith("?")
        ]

    def epoch(self, chance):
        told = chance.sample(self.told, min(len(self.told), CHANGE_SAMPLES))
        return self.clauses + told + chance.sample(self.plain, min(len(self.plain), PLAIN_SAMPLES))

    @staticmethod
    def reported(trainer, cases, conversations):
        """Clauses that must not be lost, and those that hold nothing."""
        del cases
        made = [one for messages in conversations for one in labeled_samples(trainer.tokens, messages)]
        return [one for one in made if one.label in (LABELS[0], LABELS[2])]
