"""Progress bars for terminals and notebooks."""

from __future__ import annotations

import html
import sys
import time
from typing import Any, Callable, Dict, Optional, Union

from ._errors import ArgumentTypeError

#: None draws a bar on a terminal and in a notebook, True anywhere, False nowhere. A function is called with every event.
Progress = Union[None, bool, Callable[[Dict[str, Any]], None]]

_WIDTH = 24


def make(wanted: Progress) -> "Bar":
    """Returns the bar for the value of the argument progress."""
    if callable(wanted):
        return Bar(None, wanted)
    if wanted not in (None, True, False):
        raise ArgumentTypeError("progress is True, False, None or a function, not %r" % (wanted,), code="usage")
    if wanted is False:
        return Bar(None)
    if _in_notebook():
        return Bar(_Notebook())
    if wanted or (sys.stderr is not None and sys.stderr.isatty()):
        return Bar(_Terminal())
    return Bar(None)


class Bar:
    """Bar draws the latest event of a run. It draws nothing in the first second."""

    def __init__(self, place: Optional[Any], tell: Optional[Callable[[Dict[str, Any]], None]] = None) -> None:
        self.place, self.tell = place, tell
        self.start = time.monotonic()
        self.event: Optional[Dict[str, Any]] = None
        self.shown = ""

    def observe(self, event: Dict[str, Any]) -> None:
        """Records an event of the program."""
        if event["msg"] in ("progress", "reading"):
            self.event = event
        if self.tell:
            self.tell(event)

    def tick(self) -> None:
        """Draws the bar if it changed."""
        seconds = time.monotonic() - self.start
        if self.place is None or seconds < 1:
            return
        share, text = describe(self.event)
        line = "%s, %d s" % (text, seconds)
        if line != self.shown:
            self.shown = line
            self.place.draw(share, line)

    def end(self) -> None:
        """Removes the bar."""
        if self.shown and self.place is not None:
            self.place.clear()


def describe(event: Optional[Dict[str, Any]]) -> Any:
    """Returns the fraction that is done, or None if it is unknown, and a description."""
    if event is None:
        return None, "learning"
    if event["msg"] == "reading":
        return None, "reading: %d rows" % event.get("rows", 0)
    step, steps = event.get("step", 0), event.get("steps", 0)
    text = "%s: %d" % (event.get("stage", "learning"), step)
    if steps:
        text += " of %d" % steps
    if event.get("seconds_left") is not None:
        text += ", about %d s left" % event["seconds_left"]
    return (min(1.0, step / steps) if steps else None), text


class _Terminal:
    def draw(self, share: Optional[float], text: str) -> None:
        bar = ""
        if share is not None:
            full = int(round(share * _WIDTH))
            bar = "[%s%s] " % ("#" * full, "." * (_WIDTH - full))
        sys.stderr.write("\r\x1b[K" + bar + text)
        sys.stderr.flush()

    def clear(self) -> None:
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()


class _Notebook:
    def __init__(self) -> None:
        self.handle: Any = None

    def draw(self, share: Optional[float], text: str) -> None:
        from IPython.display import HTML, display

        value = "" if share is None else ' value="%.4f"' % share
        content = HTML("<progress%s></progress> %s" % (value, html.escape(text)))
        if self.handle is None:
            self.handle = display(content, display_id=True)
        else:
            self.handle.update(content)

    def clear(self) -> None:
        from IPython.display import HTML

        if self.handle is not None:
            self.handle.update(HTML(""))


def _in_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return type(shell).__name__ == "ZMQInteractiveShell"
