package paper

import (
	"fmt"
	"math"
	"strings"

	"github.com/polydag/polydag/lab/internal/timing"
	"github.com/polydag/polydag/lab/study"
)

type comments struct{}

// Summary answers the questions that a reader of the paper has.
func (comments) Summary(records *study.View) []string {
	v := view{records}
	var lines []string
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	if gap, n := v.releasedGap(); n > 0 {
		add("**The released code is reproduced.** Over %d rows on raw data (each d, both methods, the same graphs) our F1 differs from the released code's by at most %.3f.", n, gap)
	}
	raw, std, ours := v.f1Line("raw", "polydag-geo"), v.f1Line("standardize", "polydag-geo"), v.f1Line("standardize", "auto")
	if raw != "" && std != "" {
		add("**The paper's numbers are those of raw data.** F1 of polyDAG-Geo on raw data: %s. On standardized data, which the text says it uses: %s.", raw, std)
	}
	if ours != "" {
		add("**The claim can be had on standardized data by other means.** F1 of polydag's default there: %s; of the unit-free polyDAG with h_geo: %s, with h_exp: %s.",
			ours, orDash(v.f1Line("standardize", "unit-free-geo")), orDash(v.f1Line("standardize", "unit-free-exp")))
	}
	if g := v.Find("validity", 0, "raw", "polydag-geo"); g != nil {
		line := fmt.Sprintf("**A threshold alone is no certificate.** DAG-valid at d = %d on raw data: polyDAG-Geo %s", g.Point.Nodes, percent(g.Mean("dag_valid")))
		if x := v.Find("validity", g.Point.Nodes, "raw", "notears-exp"); x != nil {
			line += fmt.Sprintf(", NOTEARS %s", percent(x.Mean("dag_valid")))
		}
		add("%s. polydag cuts what cycles are left and returns a DAG with a topological order every time.", line)
	}
	return lines
}

// view is the View of the study with the queries of this package.
type view struct{ *study.View }

// releasedGap is the largest |F1 ours - F1 released| over the rows of main on raw data, and how many rows there were.
func (v view) releasedGap() (gap float64, rows int) {
	const experiment = "main"
	for _, g := range v.Groups(experiment) {
		text := v.Published(experiment, g, "released code", "f1")
		if g.Protocol != "raw" || text == "" || len(g.Records) == 0 {
			continue
		}
		if theirs, err := study.Number(text); err == nil {
			gap, rows = max(gap, math.Abs(g.Mean("f1")-theirs)), rows+1
		}
	}
	return gap, rows
}

// f1Line lists the F1 of a method in main by d.
func (v view) f1Line(protocol, method string) string {
	const experiment = "main"
	var parts []string
	for _, g := range v.Groups(experiment) {
		if g.Protocol == protocol && g.Method == method && len(g.Records) > 0 {
			parts = append(parts, fmt.Sprintf("%.3f (d = %d)", g.Mean("f1"), g.Point.Nodes))
		}
	}
	return strings.Join(parts, ", ")
}

// publishedLine lists what the paper prints of a method by d.
func (v view) publishedLine(experiment, protocol, method, metric string) string {
	var parts []string
	for _, g := range v.Groups(experiment) {
		if t := v.Published(experiment, g, "paper", metric); g.Protocol == protocol && g.Method == method && t != "" {
			parts = append(parts, fmt.Sprintf("%s (d = %d)", t, g.Point.Nodes))
		}
	}
	return strings.Join(parts, ", ")
}

func percent(share float64) string { return fmt.Sprintf("%.0f%%", 100*share) }

func orDash(text string) string {
	if text == "" {
		return "–"
	}
	return text
}

// Remarks returns the section "where the paper's text and numbers disagree". Items without records are omitted.
func (comments) Remarks(records *study.View) (string, []study.Remark) {
	v := view{records}
	var out []study.Remark
	for _, item := range []func() *disagreement{
		v.standardized, v.degree, v.order16, v.falling, v.schedule, v.validRate, v.cubic, v.bridge, v.fpr, v.sachs, v.celeba, v.promises,
	} {
		if d := item(); d != nil {
			out = append(out, study.Remark{About: d.about, Who: "The paper", Says: d.says, Found: d.found})
		}
	}
	return "Where the paper's text and numbers disagree", out
}

// A disagreement is a claim of the paper with the finding of the records.
type disagreement struct{ about, says, found string }

func (v view) standardized() *disagreement {
	raw, std := v.f1Line("raw", "polydag-geo"), v.f1Line("standardize", "polydag-geo")
	if raw == "" || std == "" {
		return nil
	}
	return &disagreement{"Standardized data",
		fmt.Sprintf("\"data is column-standardized … to remove varsortability artifacts\"; F1 of polyDAG-Geo %s.", orDash(v.publishedLine("main", "standardize", "polydag-geo", "f1"))),
		fmt.Sprintf("the released code does not standardize, and the numbers are those of raw data: F1 %s. Standardized: %s.", raw, std)}
}

func (v view) degree() *disagreement {
	g := v.Find("main", 0, "raw", "notears-exp")
	if g == nil {
		return nil
	}
	edges, n := g.Mean("edges_true"), g.Count("edges_true")
	return &disagreement{"Density",
		"\"expected in-degree k = 4 (i.e., p = 4/(d-1))\".",
		fmt.Sprintf("with that p on the upper triangle the mean in-degree is 2: %.1f edges at d = %d over %d graphs, %.2f a node.", edges, g.Point.Nodes, n, edges/float64(g.Point.Nodes))}
}

func (v view) order16() *disagreement {
	const experiment = "cycle"
	for _, g := range v.Groups(experiment) {
		if g.Point.Nodes == 17 && len(g.Records) > 0 {
			c := g.Records[0].Cycle
			return &disagreement{"K = 16",
				"h_geo is zero exactly on acyclic graphs; \"we use truncated geometric order K = 16 in all reported experiments\", d being 100 to 500.",
				fmt.Sprintf("with K < d the theorem does not hold: a cycle of 17 nodes has h_geo = %g at K = 16, and %g at K = d (h_exp %.2g). "+
					"Only a topological sort decides; polydag does one.", c["h_geo, K = 16"], c["h_geo, K = d"], c["h_exp"])}
		}
	}
	return nil
}

func (v view) falling() *disagreement {
	g := v.Find("convergence", 0, "raw", "polydag-geo")
	if g == nil || len(g.Records[0].Trace) == 0 {
		return nil
	}
	tr := g.Records[0].Trace
	peak, last := tr[0], tr[len(tr)-1]
	for _, p := range tr {
		if p.H > peak.H {
			peak = p
		}
	}
	return &disagreement{"|h| over the steps",
		"\"|h(W)| decreases throughout optimization\".",
		fmt.Sprintf("W starts at 0, where h = %g; |h| rises to %.3g at step %d and ends at %.3g after %d (polyDAG-Geo, raw, d = %d, seed %d). It is never near the stated tolerance of 1e-8.",
			tr[0].H, peak.H, peak.Step, last.H, last.Step, g.Point.Nodes, g.Records[0].Seed)}
}

func (v view) schedule() *disagreement {
	code, text := v.Find("schedule", 0, "raw", "polydag-geo"), v.Find("schedule", 0, "raw", "polydag-geo-text")
	if code == nil || text == nil {
		return nil
	}
	return &disagreement{"ρ, the multiplier and the stopping rule",
		"ρ doubles when h does not fall, a new inner solve every 200 steps, stop at |h| < 1e-8.",
		fmt.Sprintf("the code keeps ρ = 1 and one optimizer, updates α at step 0 too and always runs 2000 steps. polyDAG-Geo on raw data, d = %d: as the code F1 %.3f, h %.3g; as the text F1 %.3f, h %.3g, "+
			"%s of the runs reach the tolerance.", code.Point.Nodes, code.Mean("f1"), code.Mean("h_final"),
			text.Mean("f1"), text.Mean("h_final"), percent(text.Mean("finished")))}
}

func (v view) validRate() *disagreement {
	g := v.Find("validity", 0, "raw", "notears-exp")
	if g == nil {
		return nil
	}
	const experiment = "validity"
	theirs := orDash(v.Published(experiment, g, "released code", "dag_valid"))
	paper := v.Published(experiment, g, "paper", "dag_valid")
	if paper == "" {
		return nil
	}
	std := ""
	if s := v.Find("validity", g.Point.Nodes, "standardize", "notears-exp"); s != nil {
		std = fmt.Sprintf("; standardized %s", percent(s.Mean("dag_valid")))
	}
	return &disagreement{"DAG-valid rate of NOTEARS",
		fmt.Sprintf("%s at d = 100 over 3 seeds.", paper),
		fmt.Sprintf("released code %s, ours %s on raw data, d = %d, %d seeds%s. So few runs make no rate.", theirs, percent(g.Mean("dag_valid")), g.Point.Nodes, len(g.Records), std)}
}

func (v view) cubic() *disagreement {
	const experiment = "main"
	var line []string
	for _, m := range []string{"notears-exp", "polydag-geo"} {
		var px, py, ox, oy []float64
		for _, g := range v.Groups(experiment) {
			if g.Method != m || g.Protocol != "raw" || len(g.Records) == 0 {
				continue
			}
			if t, err := study.Number(v.Published(experiment, g, "paper", "seconds")); err == nil {
				px, py = append(px, float64(g.Point.Nodes)), append(py, t)
			}
			ox, oy = append(ox, float64(g.Point.Nodes)), append(oy, g.Mean("seconds"))
		}
		text := v.Label(m) + ":"
		if _, b, ok := timing.PowerLaw(px, py); ok {
			text += fmt.Sprintf(" exponent %.2f in the paper's own times,", b)
		}
		if _, b, ok := timing.PowerLaw(ox, oy); ok {
			text += fmt.Sprintf(" %.2f in ours", b)
			line = append(line, text)
		}
	}
	if len(line) == 0 {
		return nil
	}
	return &disagreement{"Scaling of the runtime",
		"\"both methods exhibit near-cubic scaling\" from d = 100 to 500.",
		strings.Join(line, "; ") + ". The paper's times hardly grow with d: they are those of starting GPU kernels, and a percentage of them says little about the constraints; the cost of one constraint is in the table above."}
}

func (v view) bridge() *disagreement {
	const experiment = "main"
	var parts []string
	for _, g := range v.Groups(experiment) {
		if g.Protocol != "raw" || v.Published(experiment, g, "paper", "seconds") == "" {
			continue
		}
		for i := range v.References() {
			ref := &v.References()[i]
			if ref.Experiment == "bridge" && ref.Nodes == g.Point.Nodes && ref.Method == g.Method {
				parts = append(parts, fmt.Sprintf("%s, d = %d: %s and %s s", v.Label(g.Method), g.Point.Nodes, v.Published(experiment, g, "paper", "seconds"), ref.Values["seconds"]))
			}
		}
	}
	if len(parts) == 0 {
		return nil
	}
	return &disagreement{"Two times for one benchmark",
		"the complexity table repeats the runtime \"from the main synthetic benchmark\".",
		"main table and complexity table differ: " + strings.Join(parts, "; ") + "."}
}

func (v view) fpr() *disagreement {
	g := v.Find("main", 0, "raw", "polydag-geo")
	if g == nil {
		return nil
	}
	return &disagreement{"FPR",
		"\"fraction of non-edges incorrectly predicted as edges\".",
		fmt.Sprintf("the code leaves reversed edges out and divides by d(d-1)/2 less the edges. polyDAG-Geo, raw, d = %d: %.4f by the text, %.4f by the code.",
			g.Point.Nodes, g.Mean("fpr"), g.Mean("fpr_released"))}
}

func (v view) sachs() *disagreement {
	a, b := v.Find("sachs", 0, "standardize", "notears-exp"), v.Find("sachs", 0, "standardize", "polydag-geo")
	if a == nil || b == nil || a.Records[0].Thresholded == nil || b.Records[0].Thresholded == nil {
		return nil
	}
	m, g := a.Records[0].Thresholded, b.Records[0].Thresholded
	const experiment = "sachs"
	says := func(x *study.Group, source, metric string) string {
		return orDash(v.Published(experiment, x, source, metric))
	}
	return &disagreement{"Sachs",
		fmt.Sprintf("NOTEARS has SHD %s, F1 %s, TPR %s; polyDAG-Geo SHD %s, F1 %s, TPR %s; \"about 6/20 consensus edges\". That F1 with that TPR takes 6 right edges of 22.",
			says(a, "paper", "shd"), says(a, "paper", "f1"), says(a, "paper", "tpr"), says(b, "paper", "shd"), says(b, "paper", "f1"), says(b, "paper", "tpr")),
		fmt.Sprintf("NOTEARS has SHD %d and F1 %.3f, but from %d right edges of %d, TPR %.3f; polyDAG-Geo has SHD %d, F1 %.3f, from %d of %d (standardized, %s). The released code has F1 %s and %s.",
			m.SHD, m.F1, m.TP, m.EdgesEstimated, m.TPR, g.SHD, g.F1, g.TP, g.EdgesEstimated, a.Point.Label(), says(a, "released code", "f1"), says(b, "released code", "f1"))}
}

func (v view) celeba() *disagreement {
	const experiment = "celeba"
	var parts, paper []string
	for _, g := range v.Groups(experiment) {
		if g.Point.Dataset == "celeba-hq" && g.Count("h_final") > 0 && (g.Method == "notears-exp" || g.Method == "polydag-geo") {
			parts = append(parts, fmt.Sprintf("%s, %s %.4f", g.Point.Label(), v.Label(g.Method), g.Mean("h_final")))
			if t := v.Published(experiment, g, "paper", "h_final"); t != "" && g.Point.Jitter == 0 {
				paper = append(paper, fmt.Sprintf("%s (%s)", t, v.Label(g.Method)))
			}
		}
	}
	if len(parts) == 0 {
		return nil
	}
	return &disagreement{"CelebA",
		fmt.Sprintf("\"a continuous attribute matrix\" with h_final %s; how it was made continuous is not said, and the data are not in the repository.", strings.Join(paper, ", ")),
		fmt.Sprintf("the attributes are -1 and 1. h_final: %s.", strings.Join(parts, "; "))}
}

func (v view) promises() *disagreement {
	return &disagreement{"Code and data availability",
		"a one-command reproduction script, a tutorial notebook, released benchmark graphs and learned graphs, CelebA preprocessing.",
		"the repository has a solver and one benchmark script for d = 10 to 100; none of the others is there. This command, the records, the true and learned graphs beside this page, and the [notebook](../guides/constraint.ipynb) are ours."}
}
