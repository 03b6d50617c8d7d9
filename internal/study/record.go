package study

import (
	"math"
	"runtime"
	"runtime/debug"
	"strconv"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/gemm"
	"github.com/polydag/polydag/internal/timing"
	"github.com/polydag/polydag/metric"
)

// RecordSchema names the layout of Record in JSON.
const RecordSchema = "polydag.record/1"

// What became of a run, beside the statuses of package solve.
const (
	StatusError = "error" // Error says why; the run stays in the tables
	StatusDone  = "done"  // of cost and cycle
)

// A Record is one run with all that was measured: one line of records.jsonl. Seconds and Cost hold times and Machine says where they were
// measured; everything else is the same on every execution of a run that was not ended by a budget.
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
	// BudgetSeconds is the time after which the learning was ended; 0 where it ended by itself. What such a record holds is the best so
	// far, which depends on the machine.
	BudgetSeconds float64 `json:"budget_seconds,omitempty"`

	Rows    int      `json:"rows,omitempty"`
	Columns int      `json:"columns,omitempty"`
	Notes   []string `json:"notes,omitempty"` // of the reader of given data
	Steps   int      `json:"steps,omitempty"`
	Score   float64  `json:"score,omitempty"`
	// Model is what effects were taken to be, where that is left to the method, and Halves how much of the graph halves of the rows
	// agree in.
	Model  string  `json:"model,omitempty"`
	Halves *Halves `json:"halves,omitempty"`
	// Variance is the model of the noise that a search chose.
	Variance string `json:"variance,omitempty"`

	// Thresholded are the metrics of what the threshold left, cycles included, as the paper evaluates, or of the answer where the method
	// goes on from there; Answer are those of the DAG that polydag returns, where cycles were cut. Absent without a truth.
	Thresholded *metric.Report `json:"thresholded,omitempty"`
	Answer      *metric.Report `json:"answer,omitempty"`
	// Edges counts the edges of the thresholded graph.
	Edges int `json:"edges"`
	// DAGValid says that the thresholded graph, before anything was cut, has a topological order.
	DAGValid         bool     `json:"dag_valid"`
	CyclicComponents int      `json:"cyclic_components"`
	Cut              int      `json:"cut,omitempty"` // edges taken out to break cycles
	HFinal           *float64 `json:"h_final,omitempty"`
	HThreshold       *float64 `json:"h_threshold,omitempty"`

	Trace []TracePoint       `json:"trace,omitempty"`
	Graph []WeightedEdge     `json:"graph,omitempty"` // of given data: the DAG returned
	Cycle map[string]float64 `json:"cycle,omitempty"` // of cycle: constraint → h

	Cost     map[string]Cost    `json:"cost,omitempty"`    // of cost: constraint → its cost
	Seconds  map[string]float64 `json:"seconds,omitempty"` // by phase: data, moments, solve and its stages as "solve: …", scale check, evaluate
	Machine  Machine            `json:"machine"`
	Versions Versions           `json:"versions"`
}

// TracePoint is |h| after so many steps.
type TracePoint struct {
	Step int     `json:"s"`
	H    float64 `json:"h"`
}

// WeightedEdge is an edge of a learned graph; Weight is with both columns scaled to unit variance, 0 where the effect is no slope,
// and Strength the bits a row that the edge saves.
type WeightedEdge struct {
	graph.Link
	Weight    float64 `json:"weight"`
	Strength  float64 `json:"strength,omitempty"`
	Compelled bool    `json:"compelled"`
}

// Machine is where times were measured.
type Machine struct {
	CPU    string `json:"cpu"`
	Cores  int    `json:"cores"`
	Arch   string `json:"arch"`
	Kernel string `json:"kernel"`           // of the matrix product
	Jobs   int    `json:"jobs"`             // runs at the same time, one thread each
	Device string `json:"device,omitempty"` // the accelerator that a continuous method took its steps on
}

// Versions are of the program that made the record.
type Versions struct {
	Module string `json:"polydag"`
	Commit string `json:"commit"` // of the source, with "+changes" where there were some; "unknown" where the build does not say
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

// jobs is how many runs went on at a time: a run of kind cost has the machine to itself, whatever the others do.
func (rec *Record) jobs() int {
	if rec.Kind == KindCost {
		return 1
	}
	return rec.Machine.Jobs
}

const unknownCommit = "unknown"

// commitOf returns the commit that Go noted when it built the program.
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

// short rounds to six digits, so that a record stays readable and the last bits stay out of the tables.
func short(v float64) float64 { return roundTo(v, 6) }

func roundTo(v float64, digits int) float64 {
	if v == 0 || math.IsInf(v, 0) || math.IsNaN(v) {
		return v
	}
	out, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64) // its own output
	return out
}

func shortPtr(v *float64) *float64 {
	if v == nil || math.IsInf(*v, 0) || math.IsNaN(*v) {
		return nil
	}
	s := short(*v)
	return &s
}
