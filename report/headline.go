package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/trust"
)

// headline summarizes the result: the number of edges by verdict, and the assumption checks.
func headline(r *polydag.Result) string {
	all := r.AllEdges()
	edges := counted(len(all), "edge")
	if len(all) == 0 {
		edges = "no edges"
	}
	line := "A graph with " + edges
	if r.Rows > 0 {
		line = "Learned " + edges
		if r.Timing.SolveSeconds > 0 {
			line += " in " + seconds(r.Timing.SolveSeconds)
		}
	}
	var parts []string
	for _, v := range []polydag.Verdict{polydag.Directed, polydag.Undirected, polydag.Weak} {
		n := 0
		for _, e := range all {
			if e.Verdict == v {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	if len(parts) > 0 {
		line += ": " + strings.Join(parts, ", ")
	}
	var about []string
	if r.Model != "" && !endedEmpty(r) {
		about = append(about, string(r.Model)+" model")
	}
	if checks := Checks(r.Assumptions); checks != "" {
		about = append(about, checks)
	}
	if text := strings.Join(about, "; "); text != "" {
		line += ". " + strings.ToUpper(text[:1]) + text[1:]
	}
	return line + "."
}

// endedEmpty reports that a run ended before it had an edge. Its model is not one that the method chose.
func endedEmpty(r *polydag.Result) bool {
	return r.Status == method.Canceled && len(r.Edges)+len(r.Lagged) == 0
}

// Checks summarizes the assumption checks and names what failed.
func Checks(list []trust.Assumption) string {
	tested, failed := 0, 0
	var codes []string
	columns := map[string][]string{} // by code
	for _, a := range list {
		if a.Outcome == trust.Failed || a.Outcome == trust.Passed {
			tested++
		}
		if a.Outcome != trust.Failed {
			continue
		}
		failed++
		for _, f := range a.Evidence {
			code := trust.CodeWords(f.Code)
			if !slices.Contains(codes, code) {
				codes = append(codes, code)
			}
			for _, c := range f.Columns {
				if !slices.Contains(columns[code], c) {
					columns[code] = append(columns[code], c)
				}
			}
		}
	}
	switch {
	case len(list) == 0:
		return ""
	case tested == 0:
		return "assumptions not checked"
	case failed == 0 && tested == 1:
		return "the assumption check passed"
	case failed == 0:
		return fmt.Sprintf("all %d assumption checks passed", tested)
	}
	const most = 3
	var said []string
	for _, code := range codes[:min(len(codes), most)] {
		if len(columns[code]) > 0 {
			code += ": " + columnList(columns[code])
		}
		said = append(said, code)
	}
	if more := len(codes) - most; more > 0 {
		said = append(said, "and "+counted(more, "other reason"))
	}
	return fmt.Sprintf("%d of %s failed (%s)", failed, counted(tested, "assumption check"), strings.Join(said, "; "))
}

func columnList(names []string) string {
	shown := make([]string, len(names))
	for k, c := range names {
		shown[k] = brief(c)
	}
	return someOf(shown)
}

// someOf lists the first three and counts the others.
func someOf(list []string) string {
	const most = 3
	text := strings.Join(list[:min(len(list), most)], ", ")
	if more := len(list) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

func seconds(s float64) string {
	switch {
	case s < 0.1:
		return fmt.Sprintf("%.2f s", max(s, 0.01))
	case s < 60:
		return fmt.Sprintf("%.1f s", s)
	}
	return time.Duration(math.Round(s) * float64(time.Second)).String()
}
