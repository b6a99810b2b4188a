import signal
import subprocess
import sys
import time

import psutil

RESTING = """
import signal, sys, time
from dualgate.cli.signals import stoppable
from dualgate.processes.jobs import Jobs

signal.signal(signal.SIGHUP, signal.SIG_DFL)  # whoever runs the tests may be deaf to it
with stoppable(Jobs()) as control:
    before = time.monotonic() - control.clock()
    print(signal.getsignal(signal.SIGHUP) is signal.SIG_IGN, flush=True)
    sys.stdin.readline()
    print(time.monotonic() - control.clock() - before, flush=True)
"""


def test_the_time_for_which_the_terminal_stopped_us_is_not_counted() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", RESTING], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as resting:
        assert resting.stdout
        ignored = resting.stdout.readline().strip()
        resting.send_signal(signal.SIGTSTP)
        while psutil.Process(resting.pid).status() != psutil.STATUS_STOPPED:
            time.sleep(0.01)
        time.sleep(0.5)
        resting.send_signal(signal.SIGCONT)
        said, _ = resting.communicate("\n")

    assert (ignored, float(said) >= 0.5) == ("False", True)


WAITING = """
import signal, sys, time
from dualgate.cli.signals import stoppable
from dualgate.processes.jobs import Jobs

for round in range(300):
    with stoppable(Jobs()) as control:
        signal.signal(signal.SIGALRM, signal.getsignal(signal.SIGTERM))
        signal.setitimer(signal.ITIMER_REAL, 0.0001 + round % 20 * 0.0001)
        while not control.cancel.wait(0.0003):
            pass
print("ended")
"""


def test_a_signal_ends_a_wait_whatever_the_wait_is_just_doing() -> None:
    waiting = subprocess.run([sys.executable, "-c", WAITING], capture_output=True, text=True, timeout=60)

    assert waiting.stdout.strip() == "ended"
