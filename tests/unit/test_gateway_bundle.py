"""The page's modules joined to one do what they do one by one; what can't be joined is not."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from services.gateway.doors.bundle import NotJoined, joined
from services.gateway.doors.files import FOLDER
from tests.browser.support import node

MODULES = {
    "/app.mjs": """// The first.
import { add, twice as double } from "./lib/sums.mjs";
import { Counter, START } from "./lib/counter.mjs";
import { even } from "./lib/even.mjs";
import { shout } from "./vendor/shout.js";

const add3 = (n) => add(n, 3);
const counter = new Counter(START);
counter.count();
console.log(shout(`${add3(1)} ${double(4)} ${counter.now} ${even(10)} ${even(7)}`));
console.log(new URL("./x.json", import.meta.url).pathname.endsWith("/x.json"));
""",
    "/lib/sums.mjs": """/** Adds; says `import { nothing } from "nowhere"` to nobody. */
export const add = (a, b) => a + b;
export async function late() {}
function twice(n) {
  return add(n, n);
}
export { twice };
""",
    "/lib/counter.mjs": """import {
  add,
} from "./sums.mjs";
export const START = 5;
export class Counter {
  constructor(now) { this.now = now; }
  count() { this.now = add(this.now, 1); }
}
""",
    "/lib/even.mjs": """import { odd } from "./odd.mjs";
export function even(n) { return n === 0 || odd(n - 1); }
""",
    "/lib/odd.mjs": """import { even } from "./even.mjs";
export function odd(n) { return n !== 0 && even(n - 1); }
""",
    "/vendor/shout.js": "export const shout = (words) => `${words}!`;\n",
}


def put(folder: Path, files: dict[str, str]) -> None:
    for path, source in files.items():
        file = folder / path[1:]
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(source)


def run(file: Path) -> str:
    assert node.NODE is not None
    (file.parent / "package.json").write_text('{"type": "module"}')
    done = subprocess.run([node.NODE, str(file)], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.skipif(node.NODE is None, reason="node is not installed")
def test_modules_do_the_same_joined_and_one_by_one(tmp_path: Path) -> None:
    put(tmp_path, MODULES)
    (tmp_path / "js").mkdir()
    put(tmp_path, {"/js/all.mjs": joined("/app.mjs", "/js/all.mjs", MODULES)})
    alone = run(tmp_path / "app.mjs")
    assert alone == "4 8 6 true false!\ntrue\n"
    assert run(tmp_path / "js" / "all.mjs") == alone


@pytest.mark.parametrize(
    ("path", "source", "why"),
    [
        ("/app.mjs", "import * as all from './x.mjs';\n", "import"),
        ("/app.mjs", "const x = await import('./x.mjs');\n", "import"),
        ("/app.mjs", "export let x = 1;\n", "export"),
        ("/app.mjs", "export default 1;\n", "export"),
        ("/app.mjs", 'import { x } from "./gone.mjs";\n', "not there"),
        ("/app.mjs", 'import { x } from "elsewhere";\n', "elsewhere"),
        (
            "/lib/even.mjs",
            'import { odd } from "./odd.mjs";\nexport const even = (n) => n === 0 || odd(n - 1);\n',
            "each other",
        ),
    ],
)
def test_what_is_written_otherwise_is_not_joined(path: str, source: str, why: str) -> None:
    with pytest.raises(NotJoined, match=why):
        joined("/app.mjs", "/js/all.mjs", MODULES | {path: source})


def test_the_page_can_be_joined_and_every_module_of_it_is_in_there() -> None:
    paths = [path for ending in ("mjs", "js") for path in FOLDER.rglob(f"*.{ending}")]
    sources = {f"/{path.relative_to(FOLDER).as_posix()}": path.read_text("utf-8") for path in paths}
    text = joined("/js/app.mjs", "/js/all.mjs", sources)
    found = re.findall(r"^const module_\d+ = \(\(\) => \{ // (\S+)$", text, re.MULTILINE)
    assert sorted(found) == sorted(path for path in sources if path.endswith(".mjs"))
