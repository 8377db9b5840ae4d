"""The real server, in a home of its own. ``CAIRN`` names the program."""

from __future__ import annotations

import json
import os
import runpy
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


PROGRAM = os.environ.get("CAIRN", str(ROOT / "target/debug/cairn"))


def environment(home: Path) -> dict[str, str]:
    """That of a command in a home of its own, without an embedding model."""
    return {
        **os.environ, "CAIRN_HOME": str(home), "CAIRN_MODELS": str(home / "models"), "CAIRN_LOG": "error",
        "CAIRN_OPERATOR_PASSPHRASE": "a passphrase of a test",
    }


@contextmanager
def serving(home: Path) -> Iterator[str]:
    """The address of a server of a home, until it is left."""
    server = subprocess.Popen([PROGRAM, "--json", "serve", "--port", "0"], env=environment(home), stdout=subprocess.PIPE)
    assert server.stdout is not None
    try:
        yield json.loads(server.stdout.readline())["url"]
    finally:
        server.terminate()
        server.wait(timeout=20)


@pytest.fixture(scope="session")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(tmp_path_factory.mktemp("cairn")) as address:
        yield address


@pytest.fixture
def example(url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[[str], str]:
    """Runs an example and gives what it printed."""
    def run(name: str) -> str:
        monkeypatch.setenv("CAIRN_URL", url)
        capsys.readouterr()
        runpy.run_path(str(Path(__file__).parents[1] / "examples" / name), run_name="__main__")
        return capsys.readouterr().out

    return run


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[tuple[str, str, str]]:
    """A server with keys: its address, the key of an operator and that of a program that captures conversations."""
    def run(*arguments: str) -> dict[str, str]:
        told = subprocess.run([PROGRAM, "--json", *arguments], env=environment(tmp_path), check=True, capture_output=True)
        return json.loads(told.stdout)  # type: ignore[no-any-return]

    run("operator", "init")
    keys = run("key", "add", "me", "--operator")["secret"], run("key", "add", "chat", "--capture")["secret"]
    with serving(tmp_path) as address:
        yield address, *keys
