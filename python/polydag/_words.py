"""Puts the messages of the program into the words of this package.

The program speaks of flags, of files and of commands. A caller of this package gave arguments and objects.
"""

from __future__ import annotations

import json
import keyword
import re
from typing import Any, Match

#: A value that follows its setting: a quoted text, a number, or a placeholder such as FILE.csv.
_VALUE = r"""(?P<value>"(?:[^"\\]|\\.)*"|[-+]?\d[\w.]*|[A-Z][A-Z,:=]*[A-Z]\b(?:\.[a-z]+)?)"""

#: A setting as the command line has it: --set name=value, --name=value, --name value or --name.
_SETTING = re.compile(r"""(?<![\w"'-])--(?:set[ =])?(?P<name>[a-zA-Z][a-zA-Z0-9-]*)(?:=(?P<given>"(?:[^"\\]|\\.)*"|[^\s,;:()]+)|[ ]%s)?""" % _VALUE)

#: Settings whose value is a word, and those that are turned on by their name alone.
_WORD = re.compile(r"(?<![\w\"'-])--(method|model|missing|device) ([a-z][a-z0-9+-]*)")
_ALONE = ("no-header", "force", "normal-scores", "standardize", "posterior", "resume")

#: Settings whose value is the name of a column, and several of them in a row.
_COLUMNS = ("drop", "keep", "log", "time", "roots", "leaves", "of", "on", "target", "groups")
_NAMES = re.compile(
    r"""(?<![\w"'-])--(%s) (?!(?:and|are|by|for|has|have|if|is|needs|or|to|with)\b)((?!-)[^\s,;:()"]+(?<!\.)|\.)""" % "|".join(_COLUMNS)
)
#: The same in an answer: drop=a,b.
_PLAIN = re.compile(r"""(?<![\w"'-])(drop|keep)=(?!\.\.)([^\s;:()"\[,][^\s;:()"\[]*)""")
_TRUTH = re.compile(r"""(?<![\w"'=-])([a-z]+(?:-[a-z]+)*)=(true|false)\b""")
_AGAIN = re.compile(r"""\b(\w+)=("[^"]*")((?: \1="[^"]*")+)""")

#: A setting by its name in a validation message.
_VALIDATED = re.compile(r"\b[a-z]+(?:-[a-z]+)+(?= = )")

_PHRASES = [
    (re.compile(r"; see polydag ([a-z]+) --help(?:-all)?"), r"; see help(polydag.\1)"),
    (re.compile(r"polydag ([a-z]+) --help(?:-all)?"), r"help(polydag.\1)"),
    (re.compile(r"repeat(?:able)?,? for several files"), "a list for several files"),
    (re.compile(r"; repeatable"), "; also a list"),
    (re.compile(r"\bpolydag methods\b"), "polydag.methods()"),
    (re.compile(r"\bpolydag (check|compare|confidence|drivers|effect|evaluate|explain|learn|questions|simulate|test|why)\b(?: \S+\.\w+\b)?"), r"polydag.\1"),
    (re.compile(r"\bpolydag (counts|devices|path|impute|moments|convert|draw|report)\b"), r"polydag.call('\1')"),
    (re.compile(r"^-: "), "the table: "),
    (re.compile(r"\bdeadline reached \(--deadline\)"), "deadline reached"),
    (re.compile(r"; the (best )?result so far is written\b"), r"; this is the \1result so far"),
    (re.compile(r"\binstead of -(?=$|[ ;,])"), "instead of a table in memory"),
    (re.compile(r"unknown flag: "), "unknown argument: "),
    (re.compile(r"\(- for standard (?:input|output)\)"), ""),
    (re.compile(r"\bstandard input\b"), "the table"),
    (re.compile(r"^the table: the file has a header but no data\b"), "the table has no rows"),
    (re.compile(r"\bon the command line\b"), "as arguments"),
    (re.compile(r"\b(?:command-line )?flags\b"), "arguments"),
    (re.compile(r"\b(?:command-line )?flag\b"), "argument"),
    (re.compile(r"\bwith exit code 3\b"), "with the best result so far"),
    (re.compile(r"with the best result so far and with the best result so far"), "with the best result so far"),
    (re.compile(r"polydag\.sample_weight"), "sample_weight"),
    (re.compile(r"in formats other than CSV, empty the cells"), "in a table in memory, make them NaN"),
    (re.compile(r"\bna=([^\s\"=;,]+=[^\s\";,]+)"), r'na="\1"'),
    (re.compile(r"\bend it in one of \.json"), "end it in one of .html .json"),
]


def argument(name: str) -> str:
    """Returns the keyword argument of a setting."""
    name = name.replace("-", "_")
    return name + "_" if keyword.iskeyword(name) else name


def _setting(found: Match[str]) -> str:
    value = found["given"] or found["value"] or ("True" if found["name"] in _ALONE else "")
    if re.fullmatch(r'"(?:true|false|[-+]?\d[\d.]*)"', value):
        value = value[1:-1]
    if value in ("true", "false"):
        value = value.capitalize()
    if found["given"] and found["name"] in _COLUMNS and '"' not in value:
        value = '"%s"' % value
    if re.match(r"[A-Z][A-Z,:=]*[A-Z]\b", value):
        value = "..."  # a placeholder
    return argument(found["name"]) + "=" + value


def python(text: str) -> str:
    """Returns a message in which settings are keyword arguments and commands are functions."""
    for pattern, words in _PHRASES:
        text = pattern.sub(words, text)
    text = _PLAIN.sub(lambda found: "%s=%s" % (found[1], json.dumps(found[2].split(",") if "," in found[2] else found[2], ensure_ascii=False)), text)
    text = _NAMES.sub(lambda found: '%s="%s"' % (argument(found[1]), found[2]), text)
    text = _TRUTH.sub(lambda found: argument(found[1]) + "=" + found[2].capitalize(), _listed(text))
    text = _VALIDATED.sub(lambda found: argument(found[0]), text)
    text = _WORD.sub(lambda found: '%s="%s"' % (argument(found[1]), found[2]), text)
    return _listed(_SETTING.sub(_setting, text))


def _listed(text: str) -> str:
    """Joins settings that are given several times to one list."""
    return _AGAIN.sub(lambda found: "%s=[%s]" % (found[1], ", ".join(re.findall('"[^"]*"', found[0]))), text)


#: The fields of an answer that hold sentences. All others hold names, values and numbers.
_SENTENCES = ("advice", "caution", "detail", "file", "help", "message", "msg", "note", "notes", "reason", "text", "warnings", "way_out")


def answer(value: Any, key: str = "") -> Any:
    """Returns the JSON of a command with its sentences in the words of this package."""
    if isinstance(value, dict):
        return {name: answer(inner, name) for name, inner in value.items()}
    if isinstance(value, list):
        return [answer(inner, key) for inner in value]
    return python(value) if isinstance(value, str) and key in _SENTENCES else value
