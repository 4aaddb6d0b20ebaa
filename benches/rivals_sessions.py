"""Measures the reading of large folders of sessions in the form of Claude Code.

    python benches/rivals_sessions.py write FOLDER --gigabytes 10
    python benches/rivals_sessions.py read FOLDER --program target/release/agent-scorecard [--ccusage "npx ccusage"] [--rust]

`write` makes sessions of 10 to 60 replies with tool results of up to 20 kB, the same for the same size. `read` runs each program
over the folder once and prints seconds, MB/s, the time of processors and the peak of memory in MB: `logs` and `compare` of the program
on all processors and on one thread; `jq -c`, the module `json` of Python and, with --rust, the crate simd-json (built by cargo first),
which parse every line on one thread; and ccusage 18, which reads the usage alone. Programs that are not installed are left out.
"""

import argparse
import json
import os
import pathlib
import random
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

WORDS = ("the file has a test that fails when the input is empty so the reader must check its length before it asks "
         "for the first line of the table and then goes on with the next one until all of them are read").split()


def text(draw, size):
    """Returns about `size` bytes of words, with quotes and line ends."""
    line = " ".join(draw.choices(WORDS, k=12))
    return (f'{draw.randrange(10_000)}: "{line}"\n' * (size // 70 + 1))[:size]


def session(draw, at):
    """Returns the lines of one session, as Claude Code writes them."""
    name = f"{at:08x}-0000-4000-8000-{draw.getrandbits(48):012x}"
    clock, parent = 1_790_000_000 + 7_200 * at, None
    lines = []

    def add(kind, **fields):
        nonlocal parent, clock
        clock += draw.uniform(1, 30)
        when = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(clock)) + f".{int(clock * 1000) % 1000:03}Z"
        own = f"{draw.getrandbits(128):032x}"
        lines.append({"parentUuid": parent, "isSidechain": False, "userType": "external", "cwd": "/work", "sessionId": name,
                      "version": "2.1.197", "gitBranch": "main", "type": kind, "uuid": own, "timestamp": when, **fields})
        parent = own

    add("user", message={"role": "user", "content": text(draw, 300)})
    for reply in range(draw.randrange(10, 60)):
        call = f"toolu_{draw.getrandbits(64):016x}"
        usage = {"input_tokens": draw.randrange(5, 50), "cache_creation_input_tokens": draw.randrange(3_000),
                 "cache_read_input_tokens": 12_000 + 900 * reply, "output_tokens": draw.randrange(30, 900), "service_tier": "standard"}
        message = {"id": f"msg_{draw.getrandbits(64):016x}", "type": "message", "role": "assistant", "model": "m-1",
                   "stop_reason": "tool_use", "stop_sequence": None, "usage": usage}
        request = f"req_{draw.getrandbits(64):016x}"
        add("assistant", requestId=request, message={**message, "content": [{"type": "text", "text": text(draw, draw.randrange(50, 600))}]})
        add("assistant", requestId=request, message={**message, "content": [
            {"type": "tool_use", "id": call, "name": draw.choice(["Bash", "Read", "Edit", "Grep"]), "input": {"command": text(draw, 120)}}]})
        result = text(draw, draw.randrange(100, 20_000))
        failed = draw.random() < 0.05
        add("user", message={"role": "user", "content": [{"type": "tool_result", "tool_use_id": call, "is_error": failed, "content": result}]},
            toolUseResult={"stdout": result, "stderr": "", "interrupted": False})
    return name, "".join(json.dumps(line) + "\n" for line in lines)


def write(folder, gigabytes):
    """Writes sessions until the folder has this size."""
    draw = random.Random(20261127)
    left, at = gigabytes * 1e9, 0
    while left > 0:
        name, lines = session(draw, at)
        path = folder / f"project-{at % 20:02}" / f"{name}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(lines)
        left, at = left - len(lines), at + 1
    print(f"{at} sessions, {(gigabytes * 1e9 - left) / 1e9:.2f} GB")


def measured(what, command, size):
    """Runs a command, and prints its time and the peak of its memory."""
    start = time.perf_counter()
    done = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    error = done.stderr.read()
    _, status, used = os.wait4(done.pid, 0)
    seconds = time.perf_counter() - start
    if status:
        print(f"{what}: failed: {error.decode()[-300:]}")
        return
    user = used.ru_utime + used.ru_stime
    print(f"{what}: {seconds:.1f} s, {size / 1e6 / seconds:.0f} MB/s, {user:.2f} s of processors, peak {used.ru_maxrss / 1e3:.0f} MB", flush=True)


PYTHON = """
import json, pathlib, sys
n = 0
for path in sorted(pathlib.Path(sys.argv[1]).rglob("*.jsonl")):
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            n += len(json.loads(line))
"""


RUST = """
use std::{env, fs, hint::black_box, path::Path};

fn visit(path: &Path) {
    if path.is_dir() {
        return fs::read_dir(path).unwrap().for_each(|entry| visit(&entry.unwrap().path()));
    }
    let mut bytes = fs::read(path).unwrap();
    for line in bytes.split_mut(|byte| *byte == b'\\n').filter(|line| !line.is_empty()) {
        black_box(simd_json::to_borrowed_value(line).unwrap());
    }
}

fn main() {
    visit(Path::new(&env::args().nth(1).unwrap()));
}
"""


def simd_json():
    """Returns the program that parses each line by simd-json, built in the folder of temporary files."""
    folder = pathlib.Path(tempfile.gettempdir()) / "rivals-simd-json"
    (folder / "src").mkdir(parents=True, exist_ok=True)
    (folder / "src/main.rs").write_text(RUST)
    package = '[package]\nname = "simd-lines"\nedition = "2024"\n[workspace]\n[dependencies]\nsimd-json = "=0.19.0"\n'
    (folder / "Cargo.toml").write_text(package + "[profile.release]\nlto = true\ncodegen-units = 1\n")
    subprocess.run(["cargo", "build", "--quiet", "--release"], cwd=folder, check=True, env={**os.environ, "CARGO_TARGET_DIR": str(folder / "target")})
    return str(folder / "target/release/simd-lines")


def read(folder, program, ccusage, rust):
    """Runs each program over the folder."""
    files = sorted(folder.rglob("*.jsonl"))
    size = sum(path.stat().st_size for path in files)
    print(f"{len(files)} files, {size / 1e9:.2f} GB, {os.cpu_count()} processors")
    measured("disk (cat)", ["bash", "-c", f"find {shlex.quote(str(folder))} -name '*.jsonl' -print0 | xargs -0 cat | cat > /dev/null"], size)
    measured("logs --json", [program, "logs", "--json", str(folder)], size)
    measured("convert --to otel", [program, "convert", "--to", "otel", str(folder)], size)
    measured("compare --json", [program, "compare", "--json", str(folder)], size)
    for command in ("logs", "compare"):
        measured(f"{command} --json, one thread", ["env", "RAYON_NUM_THREADS=1", program, command, "--json", str(folder)], size)
    if rust:
        measured("simd-json", [simd_json(), str(folder)], size)
    if shutil.which("jq"):
        measured("jq -c", ["bash", "-c", f"find {shlex.quote(str(folder))} -name '*.jsonl' -print0 | xargs -0 jq -c .type > /dev/null"], size)
    if ccusage:
        with tempfile.TemporaryDirectory() as home:
            (pathlib.Path(home) / "projects").symlink_to(folder.resolve())
            config = f"CLAUDE_CONFIG_DIR={home}"
            measured("ccusage session --json", ["env", config, *shlex.split(ccusage), "session", "--json", "--offline"], size)
    measured("Python json", [sys.executable, "-c", PYTHON, str(folder)], size)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["write", "read"])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--gigabytes", type=float, default=10)
    parser.add_argument("--program", default="target/release/agent-scorecard")
    parser.add_argument("--ccusage", help="the command of ccusage")
    parser.add_argument("--rust", action="store_true", help="measure simd-json too")
    given = parser.parse_args()
    if given.what == "write":
        write(given.folder, given.gigabytes)
    else:
        read(given.folder, given.program, given.ccusage, given.rust)


if __name__ == "__main__":
    main()
