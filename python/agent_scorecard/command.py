"""The console script ``agent-scorecard``."""

from __future__ import annotations

import signal
import sys

from agent_scorecard import _native


def main() -> int:
    """Run the command with the arguments of this process and return its exit code."""
    # The handler of Python waits until the command has ended.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _native.run_command(sys.argv)
