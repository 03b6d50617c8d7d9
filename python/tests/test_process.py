"""Ctrl-C, killed interpreters, progress, and a program that is not there."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

import polydag
from polydag import _progress

PATIENCE = 300  # seconds, on a loaded machine


def start(script):
    env = dict(os.environ, PYTHONPATH=os.path.dirname(os.path.dirname(polydag.__file__)))
    return subprocess.Popen([sys.executable, "-W", "ignore", "-c", script], env=env, stdout=subprocess.PIPE, text=True)


LONG = """
import polydag
def tell(event):
    if event["msg"] == "progress":
        print("going", flush=True)
data = polydag.simulate(nodes=30, rows=500, seed=1).data
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no signal that a test could send to one process alone")
def test_interrupt_returns_the_best_so_far():
    child = start(LONG + "r = polydag.learn(data, bootstrap=100000, progress=tell)\nprint(r.stopped, len(r.edges) > 0, r.warnings, flush=True)\n")
    assert child.stdout.readline() == "going\n"
    child.send_signal(signal.SIGINT)
    rest, _ = child.communicate(timeout=PATIENCE)
    assert child.returncode == 0 and "True True" in rest and "interrupted; this is the best result so far" in rest


@pytest.mark.skipif(os.name == "nt", reason="Windows has no signal that a test could send to one process alone")
def test_interrupt_with_nothing_to_return():
    script = """
import os, signal, threading, polydag
threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    polydag.simulate(nodes=300, rows=1000000000)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
    child = start(script)
    assert child.communicate(timeout=PATIENCE)[0] == "interrupted\n"


def working_for(pid):
    """The processes that work for one."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open("/proc/%s/environ" % entry, "rb") as file:
                    if b"POLYDAG_PARENT=%d\0" % pid in file.read():
                        found.append(int(entry))
            except OSError:
                pass  # it has ended, or is somebody else's
    return found


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="there is no /proc to look for processes in")
def test_killed_interpreter_leaves_no_process():
    child = start(LONG + "polydag.learn(data, bootstrap=100000, progress=tell)\n")
    assert child.stdout.readline() == "going\n"
    assert len(working_for(child.pid)) == 1
    child.kill()
    child.wait()
    begin = time.monotonic()
    while working_for(child.pid) and time.monotonic() - begin < PATIENCE:
        time.sleep(0.05)
    assert working_for(child.pid) == []


def long_table():
    return polydag.simulate(nodes=30, rows=500, seed=1).data


def test_fault_of_the_callers_function_stops_the_run():
    """It is raised at once, with the best result so far."""

    def tell(event):
        if event["msg"] == "progress" and event.get("stage") != "order" and event.get("step", 0) >= 2:
            raise RuntimeError("mine")

    begin = time.monotonic()
    with pytest.raises(RuntimeError, match="mine") as fault:
        polydag.learn(long_table(), bootstrap=100000, progress=tell)
    assert fault.value.result.stopped and len(fault.value.result.edges) > 0
    assert time.monotonic() - begin < PATIENCE, "the run would take hours"


def test_fault_before_there_is_a_result(demo):
    def tell(event):
        raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        polydag.learn(demo, progress=tell)


def test_a_run_can_be_canceled():
    going = threading.Event()
    run = polydag.start(long_table(), bootstrap=100000, progress=lambda event: going.set() if event["msg"] == "progress" else None)
    assert going.wait(PATIENCE) and not run.done()
    with pytest.raises(TimeoutError, match="call cancel"):
        run.result(timeout=0.01)
    run.cancel()
    run.cancel()
    with pytest.warns(polydag.StoppedWarning, match="interrupted"):
        result = run.result(timeout=PATIENCE)
    assert run.done() and result.stopped and "stopped early" in repr(result)


def test_a_run_that_fails_or_ends(demo):
    assert polydag.start(demo).result(timeout=PATIENCE).names == polydag.learn(demo).names
    with pytest.raises(FileNotFoundError):
        polydag.start("nosuch.csv").result(timeout=PATIENCE)


def test_deadline_is_seconds():
    with pytest.warns(polydag.StoppedWarning, match="deadline reached; this is the best result so far"):
        assert polydag.learn(long_table(), bootstrap=100000, deadline=2).stopped


class Place:
    def __init__(self):
        self.lines, self.cleared = [], False

    def draw(self, share, text):
        self.lines.append((share, text))

    def clear(self):
        self.cleared = True


def test_bar(capsys):
    place = Place()
    bar = _progress.Bar(place)
    bar.tick()
    assert place.lines == [], "nothing in the first second"
    bar.start -= 5
    bar.observe({"msg": "reading", "rows": 7})
    bar.tick()
    bar.tick()
    bar.observe({"msg": "progress", "stage": "bootstrap", "step": 5, "steps": 20, "seconds_left": 3})
    bar.observe({"msg": "read 7 rows"})
    bar.tick()
    bar.end()
    assert place.lines == [(None, "reading: 7 rows, 5 s"), (0.25, "bootstrap: 5 of 20, about 3 s left, 5 s")] and place.cleared
    shown = _progress.make(True)
    shown.place.draw(0.5, "half")
    assert "[############............] half" in capsys.readouterr().err
    assert _progress.make(False).place is None


def test_no_program(monkeypatch, tmp_path):
    monkeypatch.setenv("POLYDAG_BINARY", str(tmp_path / "nothing"))
    with pytest.raises(polydag.BinaryNotFound, match="which is not a file"):
        polydag.learn([[1, 2], [2, 1]])
    monkeypatch.delenv("POLYDAG_BINARY")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(polydag.BinaryNotFound, match="not on the PATH"):
        polydag.learn([[1, 2], [2, 1]])
    name = tmp_path / ("polydag.exe" if os.name == "nt" else "polydag")
    name.write_text("no program")
    name.chmod(0o755)
    with pytest.raises(polydag.Error, match="cannot start the program"):
        polydag.learn([[1, 2], [2, 1]], seed=1)


def test_found_on_the_path(monkeypatch, tmp_path, binary, demo):
    os.symlink(binary, tmp_path / "polydag")
    monkeypatch.delenv("POLYDAG_BINARY")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert polydag.learn(demo).json["rows"] == 500


@pytest.mark.skipif(os.name == "nt", reason="the stand-in is a shell script")
def test_program_that_breaks(monkeypatch, tmp_path):
    path = tmp_path / "polydag"
    path.write_text("#!/bin/sh\necho 'panic: no' >&2\necho 'goroutine 1 [running]:' >&2\nexit 2\n")
    path.chmod(0o755)
    monkeypatch.setenv("POLYDAG_BINARY", str(path))
    with pytest.raises(polydag.Error, match="^the program failed: panic: no; this is a bug, please report it with what you called$"):
        polydag.learn([[1, 2], [2, 1]])


def test_bar_of_a_notebook(monkeypatch):
    """The bar is one output that is renewed and emptied in the end; a stand-in for IPython keeps what it is shown."""
    import types

    shown = []

    class Handle:
        def update(self, content):
            shown.append(content)

    def display(content, display_id):
        assert display_id is True
        shown.append(content)
        return Handle()

    class ZMQInteractiveShell:
        pass

    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=ZMQInteractiveShell))
    monkeypatch.setitem(sys.modules, "IPython.display", types.SimpleNamespace(HTML=str, display=display))
    bar = _progress.make(None)
    bar.start -= 5
    bar.observe({"msg": "progress", "stage": "<b>", "step": 1, "steps": 4})
    bar.tick()
    bar.observe({"msg": "progress", "stage": "search", "step": 2, "steps": 0})
    bar.tick()
    bar.end()
    assert shown == ['<progress value="0.2500"></progress> &lt;b&gt;: 1 of 4, 5 s', "<progress></progress> search: 2, 5 s", ""]
