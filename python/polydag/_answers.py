"""What the questions about a graph return: the answer of the program as a dict, with its main numbers as attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Tuple, Union

if TYPE_CHECKING:
    import pandas  # type: ignore

_Value = Union[float, Dict[str, float], None]


class Effect(Dict[str, Any]):
    """The effect of one column on another, as ``effect`` returns it. It is a dict with all fields of the answer.

    Examples
    --------
    >>> import polydag
    >>> data, truth = polydag.simulate(nodes=5, rows=300, seed=1)
    >>> effect = polydag.effect(polydag.learn(data), "x1", "x3")
    >>> effect.identified
    False
    >>> print(effect.summary().splitlines()[0])
    Effect of x1 on x3 (linear model, 300 rows)
    """

    @property
    def identified(self) -> bool:
        """Whether the graph determines the effect: all graphs that fit equally well agree on it, also if it is 0."""
        return self.get("identification") in ("identified", "none")

    @property
    def estimate(self) -> _Value:
        """The total effect. A categorical outcome has one change of probability per category, as a dict. None if there is no estimate, and
        for a time series, whose effects after each step are in ``to_frame()``."""
        return self._of("value")

    @property
    def interval(self) -> Union[Tuple[float, float], Dict[str, Tuple[float, float]], None]:
        """The interval of the total effect at ``self["interval"]["level"]``, in the form of ``estimate``. None without an interval."""
        low, high = self._of("low"), self._of("high")
        if low is None or high is None:
            return None
        if isinstance(low, dict) and isinstance(high, dict):
            return {outcome: (low[outcome], high[outcome]) for outcome in low}
        return low, high  # type: ignore[return-value]

    def _of(self, key: str) -> _Value:
        found = {one["outcome"]: one["total"][key] for one in self.get("effects") or [] if key in (one.get("total") or {})}
        return None if not found else next(iter(found.values())) if len(found) == 1 else found

    def _rows(self, exists: bool = False) -> List[Dict[str, Any]]:
        """The estimates. With ``exists``, the total effect of an effect that bootstrap graphs do not all have is two rows, as the program prints it."""
        rows = []
        for one in self.get("effects") or []:
            total, own = one.get("total"), one.get("if_exists")
            totals = [("total", total)]
            if exists and own and total:
                averaged = {key: value for key, value in total.items() if key != "value"}
                totals = [("total, if it exists", {**total, **own}), ("total, averaged over graphs", averaged)]
                if self.get("identification") == "none":
                    totals = [("total, averaged over graphs", total), ("total, if it exists", own)]
            parts = [*totals, ("direct", one.get("direct")), *(("through " + part["name"], part) for part in one.get("through") or [])]
            for name, part in parts:
                if part:
                    row = {"outcome": one["outcome"], "effect": name, "estimate": part.get("value")}
                    rows.append({**row, "low": part.get("low"), "high": part.get("high"), "standardized": part.get("standardized")})
        return rows

    def to_frame(self) -> "pandas.DataFrame":
        """Return the total and the direct effect and those through each mediator as a DataFrame, or a list of dicts without pandas. A time
        series has the effect after each step."""
        from ._result import frame

        if self.get("impulse"):
            steps = [{"step": one["step"], "estimate": one["value"], "low": one.get("low"), "high": one.get("high")} for one in self["impulse"]]
            return frame(steps, ["step", "estimate", "low", "high"])

        return frame(self._rows(), ["outcome", "effect", "estimate", "low", "high", "standardized"])

    def summary(self) -> str:
        """Return the answer as text: whether the effect is identified, the estimates with intervals, and notes."""
        open_edges = ", ".join("%s → %s (%.2f)" % (one["from"], one["to"], one["probability"]) for one in self.get("depends_on") or [])
        lines = ["Effect of %s on %s (%s model, %d rows)" % (self["of"], self["on"], self["model"], self["rows"])]
        word = {"identified": "Identified ", "open": "Not identified: ", "none": "No effect: "}.get(self["identification"], "")
        lines.append("%s%s." % (word, self.get("reason", "")))
        if open_edges:
            lines.append("Depends on edges without a stated direction (probability of this direction): %s." % open_edges)
        contrast = self.get("contrast") or {}
        if contrast and not contrast.get("unit"):
            lines.append("Change from %s = %s to %s." % (self["of"], contrast["start"], contrast["end"]))
        level = (self.get("interval") or {}).get("level")
        many = len(self.get("effects") or []) > 1
        head = ["effect", "estimate"] + (["%g %% interval" % (100 * level)] if level else [])
        cells = [
            [(row["outcome"] + ": " if many else "") + row["effect"], "" if row["estimate"] is None else "%.4g" % row["estimate"]] + ([_limits(row)] if level else [])
            for row in self._rows(exists=True)
        ]
        if self.get("impulse"):
            lines.append("Change in %s after a change of %s by 1 unit that lasts one step:" % (self["on"], self["of"]))
            head[0] = "step"
            cells = [[str(one["step"]), "%.4g" % one["value"]] + ([_limits(one)] if level else []) for one in self["impulse"]]
        if cells:
            lines += ["", *table([head, *cells])]
        return "\n".join(lines + ["Note: " + note for note in self.get("notes") or []])

    def __repr__(self) -> str:
        return self.summary()


class Drivers(Dict[str, Any]):
    """The columns by their total effect on one column, as ``drivers`` returns them. It is a dict with all fields of the answer.

    Examples
    --------
    >>> import polydag
    >>> data, truth = polydag.simulate(nodes=5, rows=300, seed=1)
    >>> polydag.learn(data).drivers("x3")["on"]
    'x3'
    """

    def to_frame(self) -> "pandas.DataFrame":
        """Return one row per column as a DataFrame, or a list of dicts without pandas. Fields with several values are left out."""
        from ._result import frame

        rows = []
        for one in self.get("drivers") or []:
            plain = {key: value for key, value in one.items() if not isinstance(value, (dict, list))}
            total = one.get("total") or {}
            plain["stated"] = one["name"] in self["stated"]
            rows.append({**plain, "estimate": total.get("value"), **{key: total.get(key) for key in ("low", "high", "standardized")}})
        return frame(rows)

    def summary(self) -> str:
        """Return the columns with their effects as text."""
        lines = ["Columns by their effect on %s (%s model, %d rows)" % (self["on"], self["model"], self["rows"]), "Caveat: %s." % self["caveat"], self["says"]]
        stated, found = set(self["stated"]), self.get("drivers") or []
        level = (self.get("interval") or {}).get("level")
        exists = " if it exists" if any("if_exists" in one for one in found) else ""
        rows = [["name", "change", "estimate"] + (["%g %% interval%s" % (100 * level, exists)] if level else [])]
        for one in found:
            total = one.get("total") or {}
            cell = "%.4g" % total["value"] if "value" in total else ""
            if one["basis"] == "range" and "low" in one:
                cell = "%.4g to %.4g" % (one["low"], one["high"])
            cell = "none" if one["basis"] == "not-excluded" else cell
            contrast = one["contrast"]
            change = "+1 SD" if contrast.get("deviation") else "+1" if contrast.get("unit") else "%s to %s" % (contrast["start"], contrast["end"])
            rows.append([one["name"], change, cell if one["name"] in stated else "(%s)" % cell, _limits({**total, **one.get("if_exists", {})})][: len(rows[0])])
        if len(rows) > 1:
            lines += ["", *table(rows)]
        if len(stated) < len(found):
            lines.append("In parentheses: not stated as an effect, but it holds in the learned graph.")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return self.summary()


def _limits(of: Dict[str, Any]) -> str:
    return "" if of.get("low") is None or of.get("high") is None else "[%.4g, %.4g]" % (of["low"], of["high"])


def table(rows: List[List[str]]) -> List[str]:
    """Returns rows of text with aligned columns, the first of them the header."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]
