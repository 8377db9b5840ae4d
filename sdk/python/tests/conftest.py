"""The real server, in a home of its own. ``CAIRN`` names the program."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="session")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    home = tmp_path_factory.mktemp("cairn")
    program = os.environ.get("CAIRN", str(ROOT / "target/debug/cairn"))
    environment = {
        **os.environ, "CAIRN_HOME": str(home), "CAIRN_MODELS": str(home / "models"), "CAIRN_LOG": "error",
    }
    server = subprocess.Popen([program, "--json", "serve", "--port", "0"], env=environment, stdout=subprocess.PIPE)
    assert server.stdout is not None
    try:
        yield json.loads(server.stdout.readline())["url"]
    finally:
        server.terminate()
        server.wait(timeout=20)
