"""The console script ``agent-scorecard``."""

from __future__ import annotations

import sys

from agent_scorecard import _native


def main() -> int:
    """Run the command with the arguments of this process and return its exit code."""
    return _native.run_command(sys.argv)
