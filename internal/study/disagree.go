package study

import (
	"fmt"
	"math"
	"strings"

	"github.com/polydag/polydag/internal/timing"
)

// short is the summary at the top of the paper's report: the questions that a reader has, answered from the records.
func (r *reporter) short() {
	if r.st.Name != "paper" {
		return
	}
	var lines []string
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	if gap, n := r.releasedGap(); n > 0 {
		add("**The released code is reproduced.** Over %d rows on raw data (each d, both methods, the same graphs) our F1 differs from the released code's by at most %.3f.", n, gap)
	}
	raw, std, ours := r.f1Line("raw", "polydag-geo"), r.f1Line("standardize", "polydag-geo"), r.f1Line("standardize", "auto")
	if raw != "" && std != "" {
		add("**The paper's numbers are those of raw data.** F1 of polyDAG-Geo on raw data: %s. On standardized data, which the text says it uses: %s.", raw, std)
	}
	if ours != "" {
		add("**The claim can be had on standardized data by other means.** F1 of polydag's default there: %s; of the unit-free polyDAG with h_geo: %s, with h_exp: %s.",
			ours, orDash(r.f1Line("standardize", "unit-free-geo")), orDash(r.f1Line("standardize", "unit-free-exp")))
	}
	if g := r.find("validity", 0, "raw", "polydag-geo"); g != nil {
		line := fmt.Sprintf("**A threshold alone is no certificate.** DAG-valid at d = %d on raw data: polyDAG-Geo %s", g.point.Nodes, percent(g.stat("dag_valid")))
		if x := r.find("validity", g.point.Nodes, "raw", "notears-exp"); x != nil {
			line += fmt.Sprintf(", NOTEARS %s", percent(x.stat("dag_valid")))
		}
		add("%s. polydag cuts what cycles are left and returns a DAG with a topological order every time.", line)
	}
	if len(lines) == 0 {
		return
	}
	r.p("## In short")
	for _, l := range lines {
		fmt.Fprintf(&r.buf, "* %s\n", l)
	}
	r.buf.WriteString("\n")
}

// releasedGap is the largest |F1 ours - F1 released| over the rows of main on raw data, and how many rows there were.
func (v *view) releasedGap() (gap float64, rows int) {
	e := v.st.experiment("main")
	if e == nil {
		return 0, 0
	}
	for _, g := range v.groups(e) {
		text := v.st.published(e, g, "released code", "f1")
		if g.protocol != "raw" || text == "" || len(g.records) == 0 {
			continue
		}
		if theirs, err := leading(text); err == nil {
			gap, rows = max(gap, math.Abs(g.stat("f1").mean-theirs)), rows+1
		}
	}
	return gap, rows
}

// f1Line lists the F1 of a method in main by d.
func (v *view) f1Line(protocol, method string) string {
	e := v.st.experiment("main")
	if e == nil {
		return ""
	}
	var parts []string
	for _, g := range v.groups(e) {
		if g.protocol == protocol && g.method == method && len(g.records) > 0 {
			parts = append(parts, fmt.Sprintf("%.3f (d = %d)", g.stat("f1").mean, g.point.Nodes))
		}
	}
	return strings.Join(parts, ", ")
}

// publishedLine lists what the paper prints of a method by d.
func (v *view) publishedLine(experiment, protocol, method, metric string) string {
	e := v.st.experiment(experiment)
	var parts []string
	for _, g := range v.groups(e) {
		if t := v.st.published(e, g, "paper", metric); g.protocol == protocol && g.method == method && t != "" {
			parts = append(parts, fmt.Sprintf("%s (d = %d)", t, g.point.Nodes))
		}
	}
	return strings.Join(parts, ", ")
}

func percent(s stat) string { return fmt.Sprintf("%.0f%%", 100*s.mean) }

// A disagreement is what the paper says beside what the records say.
type disagreement struct{ about, says, found string }

// disagreements is the section "where the paper's text and numbers disagree". An item whose records are missing is left out.
func (r *reporter) disagreements() {
	if r.st.Name != "paper" {
		return
	}
	items := []func() *disagreement{
		r.standardized, r.degree, r.order16, r.falling, r.schedule, r.validRate, r.cubic, r.bridge, r.fpr, r.sachs, r.celeba, r.promises,
	}
	r.p("## Where the paper's text and numbers disagree")
	n := 0
	for _, item := range items {
		if d := item(); d != nil {
			n++
			fmt.Fprintf(&r.buf, "%d. **%s.** The paper: %s  \n   *Found:* %s\n", n, d.about, d.says, d.found)
		}
	}
	r.buf.WriteString("\n")
}

func (v *view) standardized() *disagreement {
	raw, std := v.f1Line("raw", "polydag-geo"), v.f1Line("standardize", "polydag-geo")
	if raw == "" || std == "" {
		return nil
	}
	return &disagreement{"Standardized data",
		fmt.Sprintf("\"data is column-standardized … to remove varsortability artifacts\"; F1 of polyDAG-Geo %s.", orDash(v.publishedLine("main", "standardize", "polydag-geo", "f1"))),
		fmt.Sprintf("the released code does not standardize, and the numbers are those of raw data: F1 %s. Standardized: %s.", raw, std)}
}

func (v *view) degree() *disagreement {
	g := v.find("main", 0, "raw", "notears-exp")
	if g == nil {
		return nil
	}
	s := g.stat("edges_true")
	return &disagreement{"Density",
		"\"expected in-degree k = 4 (i.e., p = 4/(d-1))\".",
		fmt.Sprintf("with that p on the upper triangle the mean in-degree is 2: %.1f edges at d = %d over %d graphs, %.2f a node.", s.mean, g.point.Nodes, s.n, s.mean/float64(g.point.Nodes))}
}

func (v *view) order16() *disagreement {
	e := v.st.experiment("cycle")
	if e == nil {
		return nil
	}
	for _, g := range v.groups(e) {
		if g.point.Nodes == 17 && len(g.records) > 0 {
			c := g.records[0].Cycle
			return &disagreement{"K = 16",
				"h_geo is zero exactly on acyclic graphs; \"we use truncated geometric order K = 16 in all reported experiments\", d being 100 to 500.",
				fmt.Sprintf("with K < d the theorem does not hold: a cycle of 17 nodes has h_geo = %g at K = 16, and %g at K = d (h_exp %.2g). "+
					"Only a topological sort decides; polydag does one.", c["h_geo, K = 16"], c["h_geo, K = d"], c["h_exp"])}
		}
	}
	return nil
}

func (v *view) falling() *disagreement {
	g := v.find("convergence", 0, "raw", "polydag-geo")
	if g == nil || len(g.records[0].Trace) == 0 {
		return nil
	}
	tr := g.records[0].Trace
	peak, last := tr[0], tr[len(tr)-1]
	for _, p := range tr {
		if p.H > peak.H {
			peak = p
		}
	}
	return &disagreement{"|h| over the steps",
		"\"|h(W)| decreases throughout optimization\".",
		fmt.Sprintf("W starts at 0, where h = %g; |h| rises to %.3g at step %d and ends at %.3g after %d (polyDAG-Geo, raw, d = %d, seed %d). It is never near the stated tolerance of 1e-8.",
			tr[0].H, peak.H, peak.Step, last.H, last.Step, g.point.Nodes, g.records[0].Seed)}
}

func (v *view) schedule() *disagreement {
	code, text := v.find("schedule", 0, "raw", "polydag-geo"), v.find("schedule", 0, "raw", "polydag-geo-text")
	if code == nil || text == nil {
		return nil
	}
	return &disagreement{"ρ, the multiplier and the stopping rule",
		"ρ doubles when h does not fall, a new inner solve every 200 steps, stop at |h| < 1e-8.",
		fmt.Sprintf("the code keeps ρ = 1 and one optimizer, updates α at step 0 too and always runs 2000 steps. polyDAG-Geo on raw data, d = %d: as the code F1 %.3f, h %.3g; as the text F1 %.3f, h %.3g, "+
			"%s of the runs reach the tolerance.", code.point.Nodes, code.stat("f1").mean, code.stat("h_final").mean,
			text.stat("f1").mean, text.stat("h_final").mean, percent(text.stat("finished")))}
}

func (v *view) validRate() *disagreement {
	g := v.find("validity", 0, "raw", "notears-exp")
	if g == nil {
		return nil
	}
	e := v.st.experiment("validity")
	theirs := orDash(v.st.published(e, g, "released code", "dag_valid"))
	paper := v.st.published(e, g, "paper", "dag_valid")
	if paper == "" {
		return nil
	}
	std := ""
	if s := v.find("validity", g.point.Nodes, "standardize", "notears-exp"); s != nil {
		std = fmt.Sprintf("; standardized %s", percent(s.stat("dag_valid")))
	}
	return &disagreement{"DAG-valid rate of NOTEARS",
		fmt.Sprintf("%s at d = 100 over 3 seeds.", paper),
		fmt.Sprintf("released code %s, ours %s on raw data, d = %d, %d seeds%s. So few runs make no rate.", theirs, percent(g.stat("dag_valid")), g.point.Nodes, len(g.records), std)}
}

func (v *view) cubic() *disagreement {
	e := v.st.experiment("main")
	if e == nil {
		return nil
	}
	var line []string
	for _, m := range []string{"notears-exp", "polydag-geo"} {
		var px, py, ox, oy []float64
		for _, g := range v.groups(e) {
			if g.method != m || g.protocol != "raw" || len(g.records) == 0 {
				continue
			}
			if t, err := leading(v.st.published(e, g, "paper", "seconds")); err == nil {
				px, py = append(px, float64(g.point.Nodes)), append(py, t)
			}
			ox, oy = append(ox, float64(g.point.Nodes)), append(oy, g.stat("seconds").mean)
		}
		text := v.st.label(m) + ":"
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

func (v *view) bridge() *disagreement {
	e := v.st.experiment("main")
	if e == nil {
		return nil
	}
	var parts []string
	for _, g := range v.groups(e) {
		if g.protocol != "raw" || v.st.published(e, g, "paper", "seconds") == "" {
			continue
		}
		for i := range v.st.References {
			ref := &v.st.References[i]
			if ref.Experiment == "bridge" && ref.Nodes == g.point.Nodes && ref.Method == g.method {
				parts = append(parts, fmt.Sprintf("%s, d = %d: %s and %s s", v.st.label(g.method), g.point.Nodes, v.st.published(e, g, "paper", "seconds"), ref.Values["seconds"]))
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

func (v *view) fpr() *disagreement {
	g := v.find("main", 0, "raw", "polydag-geo")
	if g == nil {
		return nil
	}
	return &disagreement{"FPR",
		"\"fraction of non-edges incorrectly predicted as edges\".",
		fmt.Sprintf("the code leaves reversed edges out and divides by d(d-1)/2 less the edges. polyDAG-Geo, raw, d = %d: %.4f by the text, %.4f by the code.",
			g.point.Nodes, g.stat("fpr").mean, g.stat("fpr_released").mean)}
}

func (v *view) sachs() *disagreement {
	a, b := v.find("sachs", 0, "standardize", "notears-exp"), v.find("sachs", 0, "standardize", "polydag-geo")
	if a == nil || b == nil || a.records[0].Thresholded == nil || b.records[0].Thresholded == nil {
		return nil
	}
	m, g := a.records[0].Thresholded, b.records[0].Thresholded
	e := v.st.experiment("sachs")
	says := func(x *group, source, metric string) string { return orDash(v.st.published(e, x, source, metric)) }
	return &disagreement{"Sachs",
		fmt.Sprintf("NOTEARS has SHD %s, F1 %s, TPR %s; polyDAG-Geo SHD %s, F1 %s, TPR %s; \"about 6/20 consensus edges\". That F1 with that TPR takes 6 right edges of 22.",
			says(a, "paper", "shd"), says(a, "paper", "f1"), says(a, "paper", "tpr"), says(b, "paper", "shd"), says(b, "paper", "f1"), says(b, "paper", "tpr")),
		fmt.Sprintf("NOTEARS has SHD %d and F1 %.3f, but from %d right edges of %d, TPR %.3f; polyDAG-Geo has SHD %d, F1 %.3f, from %d of %d (standardized, %s). The released code has F1 %s and %s.",
			m.SHD, m.F1, m.TP, m.EdgesEstimated, m.TPR, g.SHD, g.F1, g.TP, g.EdgesEstimated, a.point.Label(), says(a, "released code", "f1"), says(b, "released code", "f1"))}
}

func (v *view) celeba() *disagreement {
	e := v.st.experiment("celeba")
	if e == nil {
		return nil
	}
	var parts, paper []string
	for _, g := range v.groups(e) {
		if g.point.Dataset == "celeba-hq" && g.stat("h_final").n > 0 && (g.method == "notears-exp" || g.method == "polydag-geo") {
			parts = append(parts, fmt.Sprintf("%s, %s %.4f", g.point.Label(), v.st.label(g.method), g.stat("h_final").mean))
			if t := v.st.published(e, g, "paper", "h_final"); t != "" && g.point.Jitter == 0 {
				paper = append(paper, fmt.Sprintf("%s (%s)", t, v.st.label(g.method)))
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

func (v *view) promises() *disagreement {
	return &disagreement{"Code and data availability",
		"a one-command reproduction script, a tutorial notebook, released benchmark graphs and learned graphs, CelebA preprocessing.",
		"the repository has a solver and one benchmark script for d = 10 to 100; none of the others is there. This command, the records and the graphs beside this page are ours."}
}
