"""Runs the page's modules in Node."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[3]
WEB: Final = ROOT / "services" / "gateway" / "web"
NODE: Final = shutil.which("node")
RUN_S_MAX: Final = 120

PRELUDE: Final = """
import { readFileSync } from "node:fs";
const { web, job } = JSON.parse(readFileSync(0, "utf8"));
const load = (path) => import(`${web}/${path}`);
const table = JSON.parse(readFileSync(new URL(`${web}/js/net/protos.json`), "utf8"));
"""


def run(source: str, job: Any = None) -> Any:
    """Return what the JavaScript passes to `answer`; it finds `load(path)`, `table` (protos) and `job`."""
    assert NODE is not None, "node is not installed"
    text = PRELUDE + "let said = null; const answer = (value) => { said = value; };\n" + source
    text += "\nconsole.log(JSON.stringify(said));"
    done = subprocess.run(
        [NODE, "--input-type=module", "-e", text],
        input=json.dumps({"web": WEB.as_uri(), "job": job}),
        capture_output=True,
        text=True,
        timeout=RUN_S_MAX,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])
