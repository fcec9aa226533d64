"""Ctrl-C ends what takes long. Each script would go on for hours; what it is stopped by is its own signal, and the time allowed only a
watchdog."""

import subprocess
import sys

import oju
import pytest

# A thread of Python runs while oju computes, and sends what Ctrl-C sends. A shell starts what runs in the background with that signal
# ignored, and Python then leaves it so.
SCRIPT = """
import signal, sys, threading, _thread, oju
signal.signal(signal.SIGINT, signal.default_int_handler)
def soon():
    threading.Timer(0.5, _thread.interrupt_main).start()
try:
    {work}
except KeyboardInterrupt:
    print("interrupted")
"""


def interrupted(work, *arguments):
    script = SCRIPT.format(work=work)
    done = subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True, text=True, timeout=300)
    assert (done.stdout, done.returncode) == ("interrupted\n", 0), done.stderr


def test_an_analysis_is_interrupted():
    interrupted("soon(); oju.Engine('hoyito12', tt=64 << 20).analyse(forced=True)")


def test_a_build_is_interrupted_and_goes_on(tmp_path):
    interrupted(
        "oju.build('ayoayo', 18, sys.argv[1], progress=lambda seeds, *_: seeds == 8 and soon())",
        tmp_path,
    )
    assert oju.build("ayoayo", 8, tmp_path) == []


def test_what_progress_raises_ends_a_build(tmp_path):
    told = []

    def progress(seeds, done, total):
        told.append((seeds, done, total))
        if seeds == 8:
            raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        oju.build("hoyito", 8, tmp_path, progress=progress)
    # 1, 1,365 and 75,582 positions of 0, 4 and 8 seeds in 12 pits.
    assert told == [(0, 1, 76948), (4, 1366, 76948), (8, 76948, 76948)]
    assert oju.build("hoyito", 8, tmp_path) == []
