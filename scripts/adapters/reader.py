"""The reader that is trained: the local model with a head that says yes or no of several texts read in one run.

All of the model learns; what it learned is written as products of two thin matrices, rounded to bytes (`thinned`), and added to
the installed int8 weights by `crates/models/src/cross_encoder`. Limits of tokens stand there too and must agree.
"""

import math
import random
from dataclasses import dataclass

import numpy
import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch import nn
from torch.nn import functional

LAYERS, HEADS, SIZE = 6, 12, 384
BEGIN, END, SEMICOLON = 101, 102, 1025
BATCH, DROPOUT = 16, 0.1
HEAD_SCALE = 4.0
# Labels are kept off certainty by so much on both sides.
SMOOTHING = 0.02

MATRICES = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "merge": "attention.output.dense",
    "widen": "intermediate.dense",
    "narrow": "output.dense",
}
NORMS = {"norm_a": "attention.output.LayerNorm", "norm_b": "output.LayerNorm"}


@dataclass(frozen=True)
class Statement:
    """A text of which so many tokens are read from the first on, and the token that ends it."""

    text: str
    limit: int
    first: int = 0


@dataclass(frozen=True)
class Label:
    """A word or two before what they are said of, read whole."""

    text: str


@dataclass(frozen=True)
class Turn:
    """The turn before a statement, of which the last tokens are read, if there was one."""

    text: str
    limit: int


@dataclass(frozen=True)
class Sample:
    """What is read in one run, in the two parts that the model tells apart, and whether the answer is yes."""

    first: tuple
    second: tuple
    label: float


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
        # Halves the time where the processor multiplies short numbers, and takes longer where it does not.
        with torch.autocast("cpu", torch.bfloat16, enabled=torch.cpu._is_amx_tile_supported()):
            for layer in self.layers:
                x = layer(x, mask[:, None, None, :].bool())
        return x.float()

    def forward(self, ids, types, mask):
        x = self.token_vectors(ids, types, mask)
        mean = (x * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
        return torch.cat([x[:, 0], mean], -1) @ self.head * HEAD_SCALE + self.bias


class Trainer:
    def __init__(self, model, tokenizer, adapter=None):
        self.weights = load_file(model)
        self.adapter = load_file(adapter) if adapter else None
        self.tokenizer = Tokenizer.from_file(tokenizer)
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()

    def reader(self):
        """A reader with the weights of the model, and what an adapter changed of them."""
        reader = Reader(self.weights)
        if self.adapter:
            reader.load_state_dict(with_adapter(reader.state_dict(), self.weights, self.adapter))
        return reader

    def tokens(self, text):
        return self.tokenizer.encode(text, add_special_tokens=False).ids

    def part(self, texts):
        ids = []
        for text in texts:
            tokens = self.tokens(text.text)
            if isinstance(text, Label):
                ids += tokens
            elif isinstance(text, Statement):
                ids += tokens[text.first :][: text.limit] + [END]
            elif tokens:
                ids += tokens[-text.limit :] + [SEMICOLON]
        return ids

    def encode(self, sample):
        first, second = [BEGIN] + self.part(sample.first), self.part(sample.second)
        return first + second, [0] * len(first) + [1] * len(second), sample.label

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

    def train(self, task, seed):
        """What a reader has learned after the task's epochs."""
        torch.manual_seed(seed)
        chance = random.Random(seed)
        reader = self.reader().train()
        steps = task.EPOCHS * (len(task.epoch(random.Random(seed))) // BATCH)
        optimizer = torch.optim.AdamW(reader.parameters(), lr=task.RATE, weight_decay=0.01)
        rate = lambda step: min(1, step / (steps * 0.1 + 1)) * (0.05 + 0.475 * (1 + math.cos(math.pi * min(1, step / steps))))
        schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, rate)
        for epoch in range(task.EPOCHS):
            samples = task.epoch(chance)
            chance.shuffle(samples)
            encoded = [self.encode(sample) for sample in samples]
            batches, losses = [], []
            for start in range(0, len(encoded), BATCH * 16):
                alike = sorted(encoded[start : start + BATCH * 16], key=lambda sample: len(sample[0]))
                batches += [alike[at : at + BATCH] for at in range(0, len(alike) - BATCH + 1, BATCH)]
            chance.shuffle(batches)
            for batch in batches:
                ids, types, mask, labels = self.batch(batch)
                smooth = labels * (1 - 2 * SMOOTHING) + SMOOTHING
                loss = functional.binary_cross_entropy_with_logits(reader(ids, types, mask), smooth)
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(reader.parameters(), 1.0)
                optimizer.step()
                schedule.step()
                losses.append(loss.item())
            print(f"seed {seed}, epoch {epoch + 1} of {task.EPOCHS}: loss {numpy.mean(losses):.3f}", flush=True)
        return reader.state_dict()

    @torch.no_grad()
    def report(self, state, name, samples):
        reader = Reader(self.weights).eval()
        reader.load_state_dict(state)
        encoded = sorted((self.encode(sample) for sample in samples), key=lambda sample: len(sample[0]))
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
            right = ((scores > 0) == labels).mean()
            print(
                f"{name}: {len(samples)} samples, AUC {auc:.3f}, {100 * found:.1f} % found at 5 % false alarms, "
                f"{100 * right:.1f} % on the right side of 0",
                flush=True,
            )


def node_of(number, path):
    return f"/encoder/layer.{number}/{path.replace('.', '/')}/MatMul_quant"


def with_adapter(state, weights, tensors):
    """The state of a reader with what an adapter changed."""
    state = dict(state)
    for number in range(LAYERS):
        for name, path in MATRICES.items():
            node = node_of(number, path)
            down, up = (tensors[f"{node}.{part}"].float() * tensors[f"{node}.{part}.scale"] for part in ("down", "up"))
            state[f"layers.{number}.{name}_weight"] = weights[f"encoder.layer.{number}.{path}.weight"].float() + (down @ up.T).T
        for name, path in (MATRICES | NORMS).items():
            for part in ("bias",) if name in MATRICES else ("weight", "bias"):
                state[f"layers.{number}.{name}_{part}"] = tensors[f"encoder.layer.{number}.{path}.{part}"].float()
    state["head"] = tensors["head.weight"].float() / HEAD_SCALE
    state["bias"] = tensors["head.bias"].float().reshape(())
    return state


def thinned(state, weights, rank):
    """The tensors to ship: of each matrix's change the strongest directions, in bytes, and vectors whole."""
    tensors = {}
    for number in range(LAYERS):
        for name, path in MATRICES.items():
            key, original = f"layers.{number}.{name}_weight", weights[f"encoder.layer.{number}.{path}.weight"].float()
            left, sizes, right = torch.linalg.svd((state[key] - original).T, full_matrices=False)
            root = sizes[:rank].sqrt()
            for part, matrix in (("down", left[:, :rank] * root), ("up", (right[:rank] * root[:, None]).T)):
                # A scale for each of the thin dimensions; the matrix itself in bytes.
                scale = matrix.abs().amax(0) / 127
                tensors[f"{node_of(number, path)}.{part}"] = (matrix / scale).round().to(torch.int8).contiguous()
                tensors[f"{node_of(number, path)}.{part}.scale"] = scale.contiguous()
        for name, path in (MATRICES | NORMS).items():
            for part in ("bias",) if name in MATRICES else ("weight", "bias"):
                value = state[f"layers.{number}.{name}_{part}"]
                tensors[f"encoder.layer.{number}.{path}.{part}"] = value.to(torch.bfloat16).contiguous()
    tensors["head.weight"] = (state["head"] * HEAD_SCALE).to(torch.bfloat16)
    tensors["head.bias"] = state["bias"].reshape(1).to(torch.bfloat16)
    return tensors
