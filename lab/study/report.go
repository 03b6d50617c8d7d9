package study

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
)

// Report writes the report of a study as Markdown. figures is the folder of the figures relative to the report.
// The output depends only on the arguments.
func Report(w io.Writer, st *Study, sel Select, recs []*Record, figures string) error {
	v := NewView(st, sel, recs)
	r := &reporter{View: v, figures: figures}
	r.head()
	r.summary()
	for _, e := range v.chosen() {
		r.experiment(e)
	}
	r.remarks()
	r.notRun()
	r.machines()
	_, err := w.Write(r.buf.Bytes())
	return err
}

type reporter struct {
	*View
	buf     bytes.Buffer
	figures string
}

func (r *reporter) p(format string, args ...any) { fmt.Fprintf(&r.buf, format+"\n\n", args...) }

func (r *reporter) head() {
	title := r.st.Title
	if title == "" {
		title = r.st.Name
	}
	if r.sel.Quick {
		title += ", the quick form"
	}
	r.p("# %s", title)
	if r.st.Note != "" {
		r.p("%s", r.st.Note)
	}
	r.p("<!-- Written by polydag reproduce from the records; changes are lost. -->")
	if r.sel.Quick {
		r.p("These are the small sizes of `--quick`: they show that everything runs, and are not the paper's. Published numbers stand only where " +
			"the sizes agree.")
	}
	r.p("Numbers are mean ± standard deviation (divisor n, as in the paper) over the seeds; a dash means that there is no such number. " +
		"SHD counts a reversed edge once. The metrics are those of the thresholded graph, cycles included, as the paper evaluates; the graph " +
		"that polydag returns has its cycles cut. Runs that failed or did not converge are in the tables.")
	if made := madeWith(r.recordsOf(r.chosen()...)); made != "" {
		r.p("%s", made)
	}
}

// summary writes the author's comments at the top.
func (r *reporter) summary() {
	if r.st.Comments == nil {
		return
	}
	lines := r.st.Comments.Summary(r.View)
	if len(lines) == 0 {
		return
	}
	r.p("## In short")
	for _, l := range lines {
		fmt.Fprintf(&r.buf, "* %s\n", l)
	}
	r.buf.WriteString("\n")
}

// remarks writes the author's comments at the end.
func (r *reporter) remarks() {
	if r.st.Comments == nil {
		return
	}
	heading, remarks := r.st.Comments.Remarks(r.View)
	r.p("## %s", heading)
	for n, m := range remarks {
		fmt.Fprintf(&r.buf, "%d. **%s.** %s: %s  \n   *Found:* %s\n", n+1, m.About, m.Who, m.Says, m.Found)
	}
	r.buf.WriteString("\n")
}

func (r *reporter) experiment(e *Experiment) {
	r.p("## %s", e.Title)
	if e.Note != "" {
		r.p("%s", e.Note)
	}
	groups := r.groups(e)
	if !slices.ContainsFunc(groups, func(g *Group) bool { return len(g.Records) > 0 }) {
		r.p("Not run: see the end of this page.")
		return
	}
	if made := madeWith(r.recordsOf(e)); made != "" {
		r.p("%s", made)
	}
	for _, t := range r.tables(e) {
		if t.Title == e.Title {
			t.Title = "" // the heading has it
		}
		_ = t.Markdown(&r.buf) // a buffer never fails
		r.buf.WriteString("\n")
	}
	for _, n := range readerNotes(groups) {
		r.p("Note of the reader: %s", n)
	}
	for _, f := range r.figuresOf(e) {
		r.p("![%s](%s)", f.title, path.Join(r.figures, f.name+".svg"))
		r.p("*%s.*", f.title)
	}
}

// recordsOf lists the records of experiments, each in the order of its grid.
func (v *View) recordsOf(experiments ...*Experiment) []*Record {
	var out []*Record
	for _, e := range experiments {
		for _, g := range v.groups(e) {
			out = append(out, g.Records...)
		}
	}
	return out
}

// madeWith describes the seeds of records and the number of concurrent runs. A cycle has neither.
func madeWith(recs []*Record) string {
	seeds, jobs := map[uint64]bool{}, map[int]bool{}
	for _, rec := range recs {
		if rec.Kind != KindCycle {
			seeds[rec.Seed], jobs[rec.jobs()] = true, true
		}
	}
	if len(seeds) == 0 {
		return ""
	}
	word := "Seeds"
	if len(seeds) == 1 {
		word = "Seed"
	}
	var at []string
	for _, n := range slices.Sorted(maps.Keys(jobs)) {
		at = append(at, atATime(n))
	}
	return fmt.Sprintf("%s %s; %s, one thread each.", word, numbers(seeds), strings.Join(at, " or "))
}

func atATime(jobs int) string {
	if jobs == 1 {
		return "1 run at a time"
	}
	return fmt.Sprintf("%d runs at a time", jobs)
}

// numbers lists a set in order; three or more consecutive numbers become a range, as in "1, 4 to 9".
func numbers(set map[uint64]bool) string {
	sorted := slices.Sorted(maps.Keys(set))
	var parts []string
	for i := 0; i < len(sorted); {
		end := i
		for end+1 < len(sorted) && sorted[end+1] == sorted[end]+1 {
			end++
		}
		if end < i+2 {
			end = i
			parts = append(parts, fmt.Sprint(sorted[i]))
		} else {
			parts = append(parts, fmt.Sprintf("%d to %d", sorted[i], sorted[end]))
		}
		i = end + 1
	}
	return strings.Join(parts, ", ")
}

// readerNotes lists the notes of the readers of given data, each once.
func readerNotes(groups []*Group) []string {
	seen := map[string]bool{}
	for _, g := range groups {
		for _, rec := range g.Records {
			for _, n := range rec.Notes {
				seen[g.Point.Label()+": "+n] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// notRun lists the runs without a record and what they need.
func (r *reporter) notRun() {
	needs, other := map[string]bool{}, map[string]int{}
	for i := range r.st.Experiments {
		e := &r.st.Experiments[i]
		if len(r.sel.Only) > 0 && !slices.Contains(r.sel.Only, e.Name) {
			continue
		}
		runs := r.st.runs(e, r.sel.Quick)
		if len(runs) == 0 && r.sel.Quick { // not in the quick form: report what the full form needs
			runs = r.st.runs(e, false)
		}
		for _, run := range runs {
			switch {
			case r.records[run.Key] != nil:
			case run.Point.Dataset != "":
				needs[fmt.Sprintf("%s, %s: needs %s", e.Name, run.Point.Label(), need(run.Point))] = true
			default:
				other[e.Name]++
			}
		}
	}
	if len(needs)+len(other) == 0 {
		return
	}
	r.p("## Not run")
	if len(needs) > 0 {
		why := "Data that a user downloads, under the terms that `polydag dataset list` prints, and passes with `--data DIR`:"
		if r.sel.Quick {
			why = "Experiments on data that a user downloads are not part of the quick form. The full one takes them with `--data DIR`; `polydag dataset list` prints the terms:"
		}
		r.p("%s", why)
		for _, n := range slices.Sorted(maps.Keys(needs)) {
			fmt.Fprintf(&r.buf, "* %s\n", n)
		}
		r.buf.WriteString("\n")
	}
	if len(other) > 0 {
		r.p("Without a record so far; run the command again to go on:")
		for _, n := range slices.Sorted(maps.Keys(other)) {
			fmt.Fprintf(&r.buf, "* %s: %d runs\n", n, other[n])
		}
		r.buf.WriteString("\n")
	}
}

// machines describes the origin of the records and how to reproduce them.
func (r *reporter) machines() {
	count, seconds, jobs := map[string]int{}, 0.0, 0
	seen := map[string]bool{}
	for _, rec := range r.recordsOf(r.chosen()...) {
		if seen[rec.Key] {
			continue
		}
		seen[rec.Key] = true
		jobs = max(jobs, rec.jobs())
		on := ""
		if rec.Machine.Device != "" {
			on = rec.Machine.Device + " with "
		}
		count[fmt.Sprintf("%s%s, %d cores, %s, kernel %s, %s; polydag %s, commit %s, %s, %s", on, rec.Machine.CPU, rec.Machine.Cores, rec.Machine.Arch,
			rec.Machine.Kernel, atATime(rec.jobs()), rec.Versions.Module, rec.Versions.Commit, rec.Versions.Go, rec.Versions.Result)]++
		for _, phase := range []string{"data", "moments", "solve", "scale check", "evaluate"} {
			seconds += rec.Seconds[phase]
		}
	}
	r.p("## How this was made")
	cmd := "polydag reproduce"
	if r.st.Flag != "" {
		cmd += " --set " + r.st.Flag
	}
	if r.sel.Quick {
		cmd += " --quick"
	}
	if len(r.sel.Only) > 0 {
		cmd += " --only " + strings.Join(r.sel.Only, ",")
	}
	r.p("`%s --jobs %d --data DIR --out DIR`: %d runs, %s of one core in all. Each run has one thread. Seeds, settings as used, versions and machine are in "+
		"`records.jsonl`, the learned graphs in `graphs.jsonl`.", cmd, max(jobs, 1), len(seen), duration(seconds))
	for _, m := range slices.Sorted(maps.Keys(count)) {
		fmt.Fprintf(&r.buf, "* %d runs: %s\n", count[m], m)
	}
}

func duration(seconds float64) string {
	switch {
	case seconds < 120:
		return fmt.Sprintf("%.0f seconds", seconds)
	case seconds < 7200:
		return fmt.Sprintf("%.0f minutes", seconds/60)
	}
	return fmt.Sprintf("%.1f hours", seconds/3600)
}
