package study

import (
	"math"
	"runtime"
	"runtime/debug"
	"strconv"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/gemm"
	"github.com/polydag/polydag/lab/internal/timing"
	"github.com/polydag/polydag/metric"
)

// RecordSchema is the version of the JSON format of Record.
const RecordSchema = "polydag.record/1"

// These are the statuses of a run besides those of package solve.
const (
	StatusError = "error" // Error has the reason; the run stays in the tables
	StatusDone  = "done"  // for cost and cycle
)

// A Record is one run with all measurements: one line of records.jsonl. Seconds and Cost are times, measured on
// Machine. Everything else is reproducible unless a budget ended the run.
type Record struct {
	Schema     string `json:"schema"`
	Key        string `json:"key"`
	Experiment string `json:"experiment"`
	Kind       string `json:"kind"`
	Point      Point  `json:"data"`
	Protocol   string `json:"protocol,omitempty"`
	Method     string `json:"method,omitempty"`   // its name in the study
	Settings   *used  `json:"settings,omitempty"` // as used
	Seed       uint64 `json:"seed"`

	Status string `json:"status"`
	Error  string `json:"error,omitempty"`
	// BudgetSeconds is the time limit that ended the learning; 0 if it ended normally. Such a record has the
	// best result so far, which depends on the machine.
	BudgetSeconds float64 `json:"budget_seconds,omitempty"`

	Rows    int      `json:"rows,omitempty"`
	Columns int      `json:"columns,omitempty"`
	Notes   []string `json:"notes,omitempty"` // notes of the reader of given data
	Steps   int      `json:"steps,omitempty"`
	Score   float64  `json:"score,omitempty"`
	// Model is the effect model if the method chose it, and Halves the agreement of graphs from two halves of
	// the rows.
	Model  string  `json:"model,omitempty"`
	Halves *Halves `json:"halves,omitempty"`
	// Variance is the variance model that a search chose.
	Variance string `json:"variance,omitempty"`

	// Thresholded are the metrics of the graph after the threshold, including cycles, as in the paper, or of
	// the answer if the method continued from there. Answer are the metrics of the returned DAG if cycles were
	// removed. Both are absent without a truth.
	Thresholded *metric.Report `json:"thresholded,omitempty"`
	Answer      *metric.Report `json:"answer,omitempty"`
	// Edges counts the edges of the thresholded graph.
	Edges int `json:"edges"`
	// DAGValid reports whether the thresholded graph is acyclic before edges are removed.
	DAGValid         bool     `json:"dag_valid"`
	CyclicComponents int      `json:"cyclic_components"`
	Cut              int      `json:"cut,omitempty"` // edges removed to break cycles
	HFinal           *float64 `json:"h_final,omitempty"`
	HThreshold       *float64 `json:"h_threshold,omitempty"`

	Trace []TracePoint       `json:"trace,omitempty"`
	Names []string           `json:"names,omitempty"` // for given data: the columns
	Graph []WeightedEdge     `json:"graph,omitempty"` // for given data: the returned DAG
	Cycle map[string]float64 `json:"cycle,omitempty"` // for cycle: constraint → h

	Cost     map[string]Cost    `json:"cost,omitempty"`    // for cost: constraint → its cost
	Seconds  map[string]float64 `json:"seconds,omitempty"` // by phase: data, moments, solve and its stages as "solve: …", scale check, evaluate
	Machine  Machine            `json:"machine"`
	Versions Versions           `json:"versions"`
}

// TracePoint is |h| after a number of steps.
type TracePoint struct {
	Step int     `json:"s"`
	H    float64 `json:"h"`
}

// WeightedEdge is an edge of a learned graph. Weight is standardized, or 0 if the effect is not a slope.
// Gain is the score gain in bits per row. Verdict and Confidence are those of a result that was learned from
// rows; moments do not suffice to check assumptions.
type WeightedEdge struct {
	graph.Link
	Weight    float64 `json:"weight"`
	Gain      float64 `json:"gain,omitempty"`
	Compelled bool    `json:"compelled"`

	Verdict    polydag.Verdict `json:"verdict,omitempty"`
	Confidence float64         `json:"confidence,omitempty"`
}

// Machine describes where times were measured.
type Machine struct {
	CPU    string `json:"cpu"`
	Cores  int    `json:"cores"`
	Arch   string `json:"arch"`
	Kernel string `json:"kernel"`           // kernel of the matrix product
	Jobs   int    `json:"jobs"`             // concurrent runs, one thread each
	Device string `json:"device,omitempty"` // accelerator of a continuous method
}

// Versions describe the program that made the record.
type Versions struct {
	Module string `json:"polydag"`
	Commit string `json:"commit"` // commit of the source, with "+changes" if modified; "unknown" if the build does not know it
	Go     string `json:"go"`
	Result string `json:"result"` // polydag.Schema
}

// ThisMachine describes the machine that the program runs on.
func ThisMachine(jobs int) Machine {
	return Machine{
		CPU: timing.CPU(), Cores: runtime.NumCPU(), Arch: runtime.GOOS + "/" + runtime.GOARCH,
		Kernel: gemm.Active().String(), Jobs: jobs,
	}
}

// ThisVersion describes the program.
func ThisVersion() Versions {
	v := Versions{Module: "(devel)", Commit: unknownCommit, Go: runtime.Version(), Result: polydag.Schema}
	if info, ok := debug.ReadBuildInfo(); ok {
		if info.Main.Version != "" {
			v.Module = info.Main.Version
		}
		v.Commit = commitOf(info)
	}
	return v
}

// jobs returns the number of concurrent runs; a run of kind cost is always alone.
func (rec *Record) jobs() int {
	if rec.Kind == KindCost {
		return 1
	}
	return rec.Machine.Jobs
}

const unknownCommit = "unknown"

// commitOf returns the commit that Go recorded in the build.
func commitOf(info *debug.BuildInfo) string {
	commit, changes := unknownCommit, ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			changes = "+changes"
		}
	}
	if commit == unknownCommit {
		return commit
	}
	return commit + changes
}

// short rounds to six digits, so that records are readable and rounding errors do not appear in tables.
func short(v float64) float64 { return roundTo(v, 6) }

func roundTo(v float64, digits int) float64 {
	if v == 0 || math.IsInf(v, 0) || math.IsNaN(v) {
		return v
	}
	out, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64) // parses its own output
	return out
}

func shortPtr(v *float64) *float64 {
	if v == nil || math.IsInf(*v, 0) || math.IsNaN(*v) {
		return nil
	}
	s := short(*v)
	return &s
}
