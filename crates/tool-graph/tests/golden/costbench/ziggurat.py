"""Writes src/costbench/streams/ziggurat.rs: the strips of NumPy's normal ziggurat, as numbers.

They are not the correctly rounded values of their definition (241 of 256 densities are off,
by up to 2e-15 of their value), so they are read from the compiled library that NumPy's wheel brings.

    pip install numpy==2.4.6
    python ziggurat.py

Needs `ar` and `objdump` (binutils).
"""

import pathlib
import struct
import subprocess
import tempfile

import numpy

archive = pathlib.Path(numpy.__file__).parent / "random/lib/libnpyrandom.a"
folder = pathlib.Path(tempfile.mkdtemp())
member = "src_distributions_distributions.c.o"
subprocess.run(["ar", "x", archive, member], cwd=folder, check=True)


def listing(option):
    run = subprocess.run(["objdump", option, folder / member], capture_output=True, text=True, check=True)
    return [line.split() for line in run.stdout.splitlines()]


sections = {row[1]: int(row[5], 16) for row in listing("-h") if len(row) > 6 and row[1].startswith(".rodata")}
symbols = {row[-1]: (int(row[0], 16), row[-3]) for row in listing("-t") if len(row) > 4}
content = (folder / member).read_bytes()


def table(name, kind):
    offset, section = symbols[name]
    start = sections[section] + offset
    return struct.unpack(f"<256{kind}", content[start : start + 2048])


def rust(name, doc, kind, values):
    lines = [f"/// {doc}", "#[rustfmt::skip]", f"pub(super) static {name}: [{kind}; 256] = ["]
    texts = [hex(v) if kind == "u64" else repr(v) for v in values]
    lines += ["    " + ", ".join(texts[i : i + 4]) + "," for i in range(0, 256, 4)]
    return "\n".join([*lines, "];", ""])


parts = [
    f"""//! The 256 strips of NumPy's normal ziggurat.
//!
//! origin: NumPy {numpy.__version__}, tables of libnpyrandom.a, tests/golden/costbench/ziggurat.py,
//! 2026-11-22
//!
//! Strip i > 0 is the rectangle from 0 to `x[i]` with heights from `DENSITY[i]` to `DENSITY[i - 1]`; up
//! to `x[i - 1]` all of it is under the curve `exp(-x^2 / 2)`. Strip 0 is as large: the rectangle up to
//! `x[255]`, and the tail.
""",
    """/// Where the tail starts, `x[255]`.
pub(super) const LAST: f64 = 3.654_152_885_361_009;
""",
    """/// Its inverse.
pub(super) const PER_LAST: f64 = 0.273_661_237_329_758_3;
""",
    rust("INSIDE", "Places below it, of `2^52`, are under the curve whatever their height.", "u64", table("ki_double", "Q")),
    rust("WIDTH", "The width of a place: `x[i] / 2^52`; of strip 0, as if its tail were part of the rectangle.", "f64", table("wi_double", "d")),
    rust("DENSITY", "The density at `x[i]`; at 0 for strip 0.", "f64", table("fi_double", "d")),
]
here = pathlib.Path(__file__).resolve()
(here.parents[3] / "src/costbench/streams/ziggurat.rs").write_text("\n".join(parts))
