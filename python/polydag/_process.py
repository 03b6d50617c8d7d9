"""Runs the program once: data go to its standard input, progress and errors come from its standard error.

Every line of standard error is a JSON object (--log-format json). The first Ctrl-C is passed on, and
the program returns its best result so far. The second Ctrl-C kills it. The program reads the process ID
of this process from POLYDAG_PARENT and exits when this process ends.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from typing import Any, Callable, Dict, List, Optional, Sequence

from . import _binary, _words
from ._errors import ArgumentTypeError, DataError, Error, FileNotFound, UsageError

#: Feed writes the standard input: it is called with a function that takes bytes.
Feed = Callable[[Callable[[bytes], object]], None]

STOPPED = 3  # exit code of a run that ended early, with its best result written
REFUTED = 4  # exit code of polydag test if the table refutes the graph


def send(data: Any) -> Feed:
    """Returns the feed that writes these bytes."""

    def feed(out: Callable[[bytes], object]) -> None:
        out(data)

    return feed


class Outcome:
    """The exit code, the standard output and the log events of one run. fault is what the caller's own function raised."""

    def __init__(self, code: int, output: bytes, events: List[Dict[str, Any]], fault: Optional[BaseException] = None) -> None:
        self.code, self.output, self.events, self.fault = code, output, events, fault

    def said(self, level: str) -> List[str]:
        """Returns the messages of one level: ERROR, WARN or INFO."""
        return [str(event["msg"]) for event in self.events if event.get("level") == level]


class Control:
    """Stops a run from another thread."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.process: Optional["subprocess.Popen[bytes]"] = None
        self.stopped = False

    def begin(self, process: "subprocess.Popen[bytes]") -> None:
        """Takes the process of the run. A run that was stopped before it began ends at once."""
        with self.lock:
            self.process = process
            if self.stopped:
                _interrupt(process)

    def stop(self) -> None:
        with self.lock:
            if not self.stopped and self.process is not None:
                _interrupt(self.process)
            self.stopped = True


def call(
    args: Sequence[str],
    feed: Optional[Feed] = None,
    observe: Optional[Callable[[Dict[str, Any]], None]] = None,
    tick: Optional[Callable[[], None]] = None,
    control: Optional[Control] = None,
) -> Outcome:
    """Runs the program. Exit codes 1 and 2 are raised as exceptions; 0 and 3 are returned.

    ``observe`` is called with every event, on another thread. If it raises, the run is stopped and the outcome has the exception.
    ``tick`` is called ten times per second, on this thread. ``control`` stops the run from another thread.
    """
    env = dict(os.environ, POLYDAG_LOG_FORMAT="json", POLYDAG_PARENT=str(os.getpid()))
    options: Dict[str, Any] = {"start_new_session": True}  # the terminal sends Ctrl-C to this process only
    if os.name == "nt":
        options = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}  # type: ignore[attr-defined]
    if sys.version_info >= (3, 10):
        options["pipesize"] = 1 << 20  # fewer context switches between the two processes; Linux only
    program = _binary.find()
    kept = _in_memory(feed) if feed else None
    if kept is not None:
        feed = None
    try:
        process = subprocess.Popen(
            [program, *args],
            stdin=kept if kept is not None else subprocess.PIPE if feed else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=env,
            **options,
        )
    except ValueError as fault:  # a NUL in a setting
        raise UsageError("a setting contains a character that cannot be passed to the program: %s" % fault, code="usage") from None
    except OSError as fault:
        raise Error("cannot start the program: %s; check that POLYDAG_BINARY names an executable for this machine" % fault, code="start") from fault
    finally:
        if kept is not None:
            os.close(kept)
    run = _Run(process, observe or (lambda event: None))
    if control is not None:
        control.begin(process)
    streams: List[Callable[[], None]] = [run.read_output, run.read_events]
    if feed:
        given = feed
        streams.append(lambda: run.feed(given))
    done = [threading.Event() for _ in streams]
    threads = [threading.Thread(target=_until, args=pair, daemon=True) for pair in zip(streams, done)]
    interrupted = False
    try:
        for thread in threads:
            thread.start()
        while True:
            try:
                _join(done, tick or (lambda: None))
                code = process.wait()
                break
            except KeyboardInterrupt:
                if interrupted:
                    raise
                interrupted = True
                _interrupt(process)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
    if run.fault is not None:
        raise run.fault
    outcome = Outcome(code, b"".join(run.output), run.events, run.raised)
    if code not in (0, STOPPED, REFUTED):
        if run.raised is not None:
            note(run.raised, None)
            raise run.raised
        if interrupted:
            raise KeyboardInterrupt
        raise _failure(outcome, run.other)
    return outcome


def note(fault: BaseException, result: Any) -> None:
    """Keeps the result so far with what the caller's own function raised."""
    try:
        fault.result = result  # type: ignore[attr-defined]
    except AttributeError:
        pass  # an exception without attributes


#: Tables up to this many bytes are passed as an in-memory file.
_MOST = 1 << 28


def _in_memory(feed: Feed) -> Optional[int]:
    """Returns an in-memory file with what the feed writes, or None if the table is large or the system has no such files.

    The program can read a file several times and on several threads. It has to copy what it reads from a pipe.
    """
    if not hasattr(os, "memfd_create") or getattr(feed, "size", _MOST + 1) > _MOST:
        return None
    try:
        place = os.memfd_create("polydag")
    except OSError:
        return None
    try:
        with open(place, "wb", closefd=False) as out:
            feed(out.write)
        os.lseek(place, 0, os.SEEK_SET)
        return place
    except OSError:  # not enough memory
        os.close(place)
        return None
    except BaseException:
        os.close(place)
        raise


def _until(work: Callable[[], None], done: threading.Event) -> None:
    """Runs work, then sets done. After Ctrl-C interrupts a join, CPython 3.11 can report a running thread as ended; an event is reliable."""
    try:
        work()
    finally:
        done.set()


def _join(done: Sequence[threading.Event], tick: Callable[[], None]) -> None:
    for event in done:
        while not event.wait(0.1):
            tick()


def _interrupt(process: "subprocess.Popen[bytes]") -> None:
    try:
        process.send_signal(signal.CTRL_BREAK_EVENT if os.name == "nt" else signal.SIGINT)  # type: ignore[attr-defined]
    except OSError:
        pass  # the process has just ended


class _Run:
    """The three streams of a process. Each is read or written on its own thread."""

    def __init__(self, process: "subprocess.Popen[bytes]", observe: Callable[[Dict[str, Any]], None]) -> None:
        self.process, self.observe = process, observe
        self.output: List[bytes] = []
        self.events: List[Dict[str, Any]] = []
        self.other: List[str] = []  # lines that are not events
        self.fault: Optional[BaseException] = None  # of the feed
        self.raised: Optional[BaseException] = None  # by the caller's own function

    def read_output(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as stream:
            self.output.append(stream.read())

    def read_events(self) -> None:
        assert self.process.stderr is not None
        with self.process.stderr as stream:
            for line in stream:
                try:
                    event = json.loads(line)
                    event["msg"], event["level"] = _words.python(str(event["msg"])), event["level"]
                except (ValueError, TypeError, KeyError):
                    self.other.append(line.decode("utf-8", "replace").rstrip())
                    continue
                self.events.append(event)
                try:
                    self.observe(event)
                except BaseException as fault:
                    self.raised = fault
                    self.observe = lambda event: None
                    _interrupt(self.process)

    def feed(self, write: Feed) -> None:
        stream = self.process.stdin
        assert stream is not None
        try:
            write(stream.write)
            stream.close()
        except OSError:
            pass  # the program has ended and reports why on standard error
        except BaseException as fault:
            self.fault = fault
            self.process.kill()
        finally:
            try:
                stream.close()
            except OSError:
                pass


def parse(output: bytes) -> Any:
    """Returns the JSON that the program printed."""
    try:
        return _words.answer(json.loads(output))
    except ValueError as fault:
        raise Error("the program did not print JSON: %s; check that POLYDAG_BINARY names the program polydag in the version of this package" % fault, code="output") from None


def _failure(outcome: Outcome, other: List[str]) -> Error:
    faults = [event for event in outcome.events if event["level"] == "ERROR"]
    if not faults:
        broken = next((line for line in other if line.startswith(("panic:", "fatal error:"))), "")
        if broken:
            return Error("the program failed: %s; this is a bug, please report it with what you called" % broken, code="bug", exit=outcome.code)
        return Error("the program ended with code %d: %s" % (outcome.code, "\n".join(other) or "no message"), exit=outcome.code)
    last = faults[-1]
    code, message = last.get("code", "failure"), last["msg"]
    kind = UsageError if outcome.code == 2 else DataError if code != "failure" else Error
    if message.startswith("unknown argument: "):
        kind = ArgumentTypeError
    if "no such file or directory" in message or "cannot find the file" in message:
        kind = FileNotFound
    return kind(message, code=code, place=last.get("place"), remedies=last.get("remedies"), exit=outcome.code)
