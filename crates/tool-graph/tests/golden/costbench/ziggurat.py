"""Writes src/costbench/ziggurat.rs: the strips of NumPy's normal ziggurat, as numbers.

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
//! Strip i > 0 is the rectangle from 0 to `x[i]` with heights from `DENSITY[i]` to
//! `DENSITY[i - 1]`; its part up to `x[i - 1]` lies under the curve `exp(-x^2 / 2)`. Strip 0 has the
//! same area and consists of the rectangle up to `x[255]` and the tail.
""",
    """/// The start of the tail, `x[255]`.
pub(super) const LAST: f64 = 3.654_152_885_361_009;
""",
    """/// The inverse of the start of the tail.
pub(super) const PER_LAST: f64 = 0.273_661_237_329_758_3;
""",
    rust("INSIDE", "For each strip, the number of its `2^52` positions that lie under the curve at every height.", "u64", table("ki_double", "Q")),
    rust("WIDTH", "For each strip, the width of a position, `x[i] / 2^52`. Strip 0 counts its tail as part of the\n/// rectangle.", "f64", table("wi_double", "d")),
    rust("DENSITY", "The density at `x[i]`; at 0 for strip 0.", "f64", table("fi_double", "d")),
]
here = pathlib.Path(__file__).resolve()
(here.parents[3] / "src/costbench/ziggurat.rs").write_text("\n".join(parts))
