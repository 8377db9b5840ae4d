"""Trains an adapter with which the local model reads several texts at once. Called by scripts/train-adapter.

All of the model learns from the labeled cases, once for each seed; of the average of what it learned the strongest directions
are written (crates/models/adapters). Cases that are held back are only reported on. Training on another processor gives slightly
other weights: compare the printed figures, not the bytes.
"""

import argparse

import answer
import change
import worth
from cases import read_lines
from reader import Trainer, thinned, with_adapter
from safetensors.torch import save_file

TASKS = {"change": change.Task, "answer": answer.Task, "worth": worth.Task}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--task", required=True, choices=TASKS)
    parser.add_argument("--model", required=True, help="model.safetensors of all-MiniLM-L6-v2, fp32")
    parser.add_argument("--tokenizer", required=True, help="its tokenizer.json")
    parser.add_argument("--begin-with", help="an adapter whose weights are learned on")
    parser.add_argument("--talk", nargs="+", required=True, help="labeled and plain talk of crates/eval/data")
    parser.add_argument("--out", required=True)
    parser.add_argument("--rank", type=int, default=48)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    parser.add_argument("cases", nargs="+", help="crates/eval/data/changes.jsonl and others in its format")
    arguments = parser.parse_args()
    trainer = Trainer(arguments.model, arguments.tokenizer, arguments.begin_with)
    cases = list(read_lines(arguments.cases))
    taught = [case for case in cases if case.get("split") != "held"]
    held = [case for case in cases if case.get("split") == "held"]
    talks = {"held": {}, "taught": {}}
    for message in read_lines(arguments.talk):
        split = "held" if message.get("split") == "held" else "taught"
        talks[split].setdefault(message["conversation"], []).append(message)
    taught_talks, held_talks = list(talks["taught"].values()), list(talks["held"].values())
    task = TASKS[arguments.task](trainer, taught, taught_talks)
    print(f"{len(taught)} cases to learn from, {len(held)} to report on", flush=True)
    reported, states = task.reported(trainer, held, held_talks), []
    for seed in arguments.seeds:
        states.append(trainer.train(task, seed))
        trainer.report(states[-1], f"seed {seed}, held", reported)
    average = {key: sum(state[key] for state in states) / len(states) for key in states[0]}
    tensors = thinned(average, trainer.weights, arguments.rank)
    trainer.report(with_adapter(average, trainer.weights, tensors), "as shipped, held", reported)
    save_file(tensors, arguments.out)


if __name__ == "__main__":
    main()
