"""Trains the adapter with which the local model reads two statements at once (crates/models/adapters/change.safetensors).

Called by scripts/train-adapter. The whole model learns from the labeled cases of change, once for each seed; the average of
what it learned is written as products of two thin matrices, rounded to bytes. Cases that are held back are only reported on.
Training on another processor gives slightly other weights: compare the printed figures, not the bytes.
"""

import argparse
import json
import math
import random
import re

import numpy
import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from torch import nn
from torch.nn import functional

LAYERS, HEADS, SIZE = 6, 12, 384
BEGIN, END, SEMICOLON = 101, 102, 1025
MAX_KNOWN, MAX_BEFORE, MAX_NEW = 64, 24, 80
BATCH, EPOCHS, RATE, DROPOUT = 16, 3, 1e-4, 0.1
# Pairs that nothing changes between, seen in each epoch: of the same case, of cases beside each other, of plain talk.
OTHERS_SHARE, BESIDE_PAIRS, TALK_PAIRS = 0.15, 1500, 2000
# Cases that are taken for one life, and how like each other two of its statements are.
LIFE_CASES, LEAST_ALIKE, MOST_ALIKE = 60, 0.2, 0.72
# Hardly a case has a turn before its new statement, and a life has one before nearly all: so many pairs get any.
TURN_SHARE = 0.65
HEAD_SCALE = 4.0
# A chain of changes: what stands between is no certain negative.
MANY_CHANGES = {"reversal", "chain", "increment", "count"}

MATRICES = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "merge": "attention.output.dense",
    "widen": "intermediate.dense",
    "narrow": "output.dense",
}
NORMS = {"norm_a": "attention.output.LayerNorm", "norm_b": "output.LayerNorm"}


class Layer(nn.Module):
    def __init__(self, weights, number):
        super().__init__()
        for name, path in (MATRICES | NORMS).items():
            for part in ("weight", "bias"):
                value = weights[f"encoder.layer.{number}.{path}.{part}"]
                self.register_parameter(f"{name}_{part}", nn.Parameter(value.float().clone()))

    def linear(self, name, x):
        return functional.linear(x, getattr(self, f"{name}_weight"), getattr(self, f"{name}_bias"))

    def norm(self, name, x):
        return functional.layer_norm(x, (SIZE,), getattr(self, f"{name}_weight"), getattr(self, f"{name}_bias"), 1e-12)

    def forward(self, x, mask):
        count, length, _ = x.shape
        heads = lambda y: y.view(count, length, HEADS, SIZE // HEADS).transpose(1, 2)
        query, key, value = (heads(self.linear(name, x)) for name in ("query", "key", "value"))
        seen = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        seen = self.linear("merge", seen.transpose(1, 2).reshape(count, length, SIZE))
        x = self.norm("norm_a", x + functional.dropout(seen, DROPOUT, self.training))
        wide = self.linear("narrow", functional.gelu(self.linear("widen", x)))
        return self.norm("norm_b", x + functional.dropout(wide, DROPOUT, self.training))


class Reader(nn.Module):
    def __init__(self, weights):
        super().__init__()
        self.fixed = {name: weights[f"embeddings.{name}"].float() for name in (
            "word_embeddings.weight", "position_embeddings.weight", "token_type_embeddings.weight",
            "LayerNorm.weight", "LayerNorm.bias")}
        self.layers = nn.ModuleList(Layer(weights, number) for number in range(LAYERS))
        self.head = nn.Parameter(torch.randn(2 * SIZE) * 0.02)
        self.bias = nn.Parameter(torch.zeros(()))

    def token_vectors(self, ids, types, mask):
        fixed = self.fixed
        x = functional.embedding(ids, fixed["word_embeddings.weight"])
        x = x + fixed["position_embeddings.weight"][: ids.shape[1]] + fixed["token_type_embeddings.weight"][types]
        x = functional.layer_norm(x, (SIZE,), fixed["LayerNorm.weight"], fixed["LayerNorm.bias"], 1e-12)
        with torch.autocast("cpu", torch.bfloat16):
            for layer in self.layers:
                x = layer(x, mask[:, None, None, :].bool())
        return x.float()

    def forward(self, ids, types, mask):
        x = self.token_vectors(ids, types, mask)
        mean = (x * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
        return torch.cat([x[:, 0], mean], -1) @ self.head * HEAD_SCALE + self.bias


def read_cases(paths):
    for path in paths:
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                yield json.loads(line)


def before(messages, place):
    same = place > 0 and messages[place - 1]["session"] == messages[place]["session"]
    return messages[place - 1]["text"] if same else ""


def variants(case):
    """The pair of a case: the known message whole and, where one of its sentences holds the old value, that sentence."""
    messages, new = case["messages"], case["new"]
    known = messages[case["old"]]["text"]
    texts = [known]
    for sentence in re.split(r"(?<=[.!?])\s+", known):
        if sentence != known and any(value.lower() in sentence.lower() for value in case["retired"]):
            texts.append(sentence)
    label = float(case["kind"] == "update")
    return [(text, before(messages, new), messages[new]["text"], label) for text in texts]


def others(case):
    """Pairs of a case that nothing changes between."""
    messages, (old, new) = case["messages"], (case["old"], case["new"])
    apart = {messages[old]["session"], messages[new]["session"]}
    if case["why"] in MANY_CHANGES:
        return
    for place, message in enumerate(messages):
        if message["role"] == "user" and message["session"] not in apart:
            first, second = sorted((place, old)) if place < new else (new, place)
            yield messages[first]["text"], before(messages, second), messages[second]["text"], 0.0


class Trainer:
    def __init__(self, arguments):
        self.weights = load_file(arguments.model)
        self.tokenizer = Tokenizer.from_file(arguments.tokenizer)
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()

    def tokens(self, text):
        return self.tokenizer.encode(text, add_special_tokens=False).ids

    def encode(self, pair):
        known, turn, new, label = pair
        first = [BEGIN] + self.tokens(known)[:MAX_KNOWN] + [END]
        turn = self.tokens(turn)[-MAX_BEFORE:]
        second = (turn + [SEMICOLON] if turn else []) + self.tokens(new)[:MAX_NEW] + [END]
        return first + second, [0] * len(first) + [1] * len(second), label

    @staticmethod
    def batch(encoded):
        length = max(len(ids) for ids, _, _ in encoded)
        pad = lambda values: values + [0] * (length - len(values))
        ids = torch.tensor([pad(ids) for ids, _, _ in encoded])
        types = torch.tensor([pad(types) for _, types, _ in encoded])
        mask = torch.tensor([pad([1.0] * len(ids)) for ids, _, _ in encoded])
        return ids, types, mask, torch.tensor([label for _, _, label in encoded])

    @torch.no_grad()
    def vectors(self, texts):
        """The vector of each text, as the embedder makes it."""
        reader, encoded = Reader(self.weights).eval(), [[BEGIN] + self.tokens(text)[:120] + [END] for text in texts]
        order = sorted(range(len(texts)), key=lambda place: len(encoded[place]))
        vectors = [None] * len(texts)
        for start in range(0, len(order), 32):
            places = order[start : start + 32]
            ids, types, mask, _ = self.batch([(encoded[place], [0] * len(encoded[place]), 0.0) for place in places])
            tokens = reader.token_vectors(ids, types, mask)
            means = (tokens * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
            for place, vector in zip(places, functional.normalize(means, dim=1)):
                vectors[place] = vector
        return torch.stack(vectors)

    def talk_pairs(self, conversations):
        """Messages of plain talk with the earlier ones they are most like: next to nothing changes between them."""
        pairs = []
        for messages in conversations:
            alike = self.vectors([message["text"] for message in messages])
            alike = alike @ alike.T
            for place in range(1, len(messages)):
                for earlier in alike[place, :place].argsort(descending=True)[:4].tolist():
                    pairs.append((messages[earlier]["text"], before(messages, place), messages[place]["text"], 0.0))
        return pairs

    def beside_pairs(self, cases):
        """Messages with those of other cases they are most like, as if one person had told them all."""
        pairs = []
        for start in range(0, len(cases), LIFE_CASES):
            told = [
                (number, message["text"], before(case["messages"], place))
                for number, case in enumerate(cases[start : start + LIFE_CASES])
                for place, message in enumerate(case["messages"])
                if message["role"] == "user"
            ]
            vectors = self.vectors([text for _, text, _ in told])
            numbers = torch.tensor([number for number, _, _ in told])
            for place, (number, text, turn) in enumerate(told):
                alike = vectors @ vectors[place]
                alike = alike.masked_fill((numbers == number) | (alike > MOST_ALIKE), -1.0)
                for other in alike.argsort(descending=True)[:3].tolist():
                    if alike[other] > LEAST_ALIKE:
                        pairs.append((told[other][1], turn, text, 0.0))
        return pairs

    def train(self, seed, cases, beside, talk, turns):
        torch.manual_seed(seed)
        chance = random.Random(seed)
        reader = Reader(self.weights).train()

        def with_turn(pair):
            known, turn, new, label = pair
            return (known, chance.choice(turns), new, label) if not turn and chance.random() < TURN_SHARE else pair

        extra = [pair for case in cases for pair in others(case)]
        in_epoch = len(cases) + int(len(extra) * OTHERS_SHARE) + BESIDE_PAIRS + TALK_PAIRS
        steps = EPOCHS * (in_epoch // BATCH)
        optimizer = torch.optim.AdamW(reader.parameters(), lr=RATE, weight_decay=0.01)
        rate = lambda step: min(1, step / (steps * 0.1 + 1)) * (0.05 + 0.475 * (1 + math.cos(math.pi * min(1, step / steps))))
        schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, rate)
        for epoch in range(EPOCHS):
            pairs = [chance.choice(variants(case)) for case in cases]
            pairs += chance.sample(extra, int(len(extra) * OTHERS_SHARE)) + chance.sample(beside, BESIDE_PAIRS)
            pairs = [with_turn(pair) for pair in pairs] + chance.sample(talk, TALK_PAIRS)
            chance.shuffle(pairs)
            pairs = [self.encode(pair) for pair in pairs]
            batches, losses = [], []
            for start in range(0, len(pairs), BATCH * 16):
                alike = sorted(pairs[start : start + BATCH * 16], key=lambda pair: len(pair[0]))
                batches += [alike[at : at + BATCH] for at in range(0, len(alike) - BATCH + 1, BATCH)]
            chance.shuffle(batches)
            for batch in batches:
                ids, types, mask, labels = self.batch(batch)
                loss = functional.binary_cross_entropy_with_logits(reader(ids, types, mask), labels * 0.96 + 0.02)
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(reader.parameters(), 1.0)
                optimizer.step()
                schedule.step()
                losses.append(loss.item())
            print(f"seed {seed}, epoch {epoch + 1} of {EPOCHS}: loss {numpy.mean(losses):.3f}", flush=True)
        return reader.state_dict()

    @torch.no_grad()
    def report(self, state, name, cases):
        reader = Reader(self.weights).eval()
        reader.load_state_dict(state)
        encoded = sorted((self.encode(variants(case)[0]) for case in cases), key=lambda pair: len(pair[0]))
        scores, labels = [], []
        for start in range(0, len(encoded), 32):
            ids, types, mask, label = self.batch(encoded[start : start + 32])
            scores += reader(ids, types, mask).tolist()
            labels += label.tolist()
        scores, labels = numpy.array(scores), numpy.array(labels) > 0.5
        yes, no = scores[labels], scores[~labels]
        if len(yes) and len(no):
            auc = (yes[:, None] > no[None, :]).mean()
            found = (yes > numpy.quantile(no, 0.95)).mean()
            print(f"{name}: {len(cases)} cases, AUC {auc:.3f}, {100 * found:.1f} % found at 5 % false alarms", flush=True)


def thinned(state, weights, rank):
    """The state with each matrix changed by a product of two thin ones, and the tensors to ship."""
    state, tensors = dict(state), {}
    for number in range(LAYERS):
        for name, path in MATRICES.items():
            key, original = f"layers.{number}.{name}_weight", weights[f"encoder.layer.{number}.{path}.weight"].float()
            left, sizes, right = torch.linalg.svd((state[key] - original).T, full_matrices=False)
            root = sizes[:rank].sqrt()
            node = f"/encoder/layer.{number}/{path.replace('.', '/')}/MatMul_quant"
            rounded = []
            for part, matrix in (("down", left[:, :rank] * root), ("up", (right[:rank] * root[:, None]).T)):
                # A scale for each of the thin dimensions; the matrix itself in bytes.
                scale = matrix.abs().amax(0) / 127
                values = (matrix / scale).round().to(torch.int8)
                rounded.append(values.float() * scale)
                tensors[f"{node}.{part}"] = values.contiguous()
                tensors[f"{node}.{part}.scale"] = scale.contiguous()
            state[key] = original + (rounded[0] @ rounded[1].T).T
        for name, path in (MATRICES | NORMS).items():
            parts = ("bias",) if name in MATRICES else ("weight", "bias")
            for part in parts:
                key = f"layers.{number}.{name}_{part}"
                tensors[f"encoder.layer.{number}.{path}.{part}"] = state[key].to(torch.bfloat16).contiguous()
                state[key] = state[key].to(torch.bfloat16).float()
    tensors["head.weight"] = (state["head"] * HEAD_SCALE).to(torch.bfloat16)
    tensors["head.bias"] = state["bias"].reshape(1).to(torch.bfloat16)
    return state, tensors


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True, help="model.safetensors of all-MiniLM-L6-v2, fp32")
    parser.add_argument("--tokenizer", required=True, help="its tokenizer.json")
    parser.add_argument("--talk", nargs="+", required=True, help="plain talk: talk.jsonl, daily.jsonl and chats.jsonl of crates/eval/data")
    parser.add_argument("--out", required=True)
    parser.add_argument("--rank", type=int, default=48)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    parser.add_argument("cases", nargs="+", help="crates/eval/data/changes.jsonl and others in its format")
    arguments = parser.parse_args()
    trainer = Trainer(arguments)
    cases = list(read_cases(arguments.cases))
    taught = [case for case in cases if case.get("split") != "held"]
    held = [case for case in cases if case.get("split") == "held"]
    conversations = {}
    for message in read_cases(arguments.talk):
        if message.get("split") != "held":
            conversations.setdefault(message["conversation"], []).append(message)
    turns = [message["text"] for messages in conversations.values() for message in messages]
    turns += [message["text"] for case in taught for message in case["messages"]]
    talk, beside = trainer.talk_pairs(conversations.values()), trainer.beside_pairs(taught)
    print(
        f"{len(taught)} cases to learn from, {len(beside)} pairs beside each other, {len(talk)} pairs of talk, "
        f"{len(held)} cases to report on",
        flush=True,
    )
    states = []
    for seed in arguments.seeds:
        states.append(trainer.train(seed, taught, beside, talk, turns))
        trainer.report(states[-1], f"seed {seed}, held", held)
    average = {key: sum(state[key] for state in states) / len(states) for key in states[0]}
    trainer.report(average, "average, held", held)
    shipped, tensors = thinned(average, trainer.weights, arguments.rank)
    trainer.report(shipped, "as shipped, held", held)
    save_file(tensors, arguments.out)


if __name__ == "__main__":
    main()
