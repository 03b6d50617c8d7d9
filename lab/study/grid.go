package study

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A Study is a list of experiments over named methods. The YAML file has the field names below.
type Study struct {
	Name  string `yaml:"name"`
	Title string `yaml:"title"`
	Note  string `yaml:"note"` // a paragraph at the top of the report

	Methods     map[string]Method `yaml:"methods"`
	Experiments []Experiment      `yaml:"experiments"`
	// References are published numbers for comparison.
	References []Reference `yaml:"references"`

	// Flag is the setting of polydag reproduce that selects the study, if any, for the command in the report.
	Flag string `yaml:"-"`
	// Comments, if not nil, adds comments of the study's author to the report.
	Comments Commentary `yaml:"-"`
}

// A Commentary interprets the records of a study.
type Commentary interface {
	// Summary returns the answers at the top of the report, one line of Markdown each.
	Summary(*View) []string
	// Remarks returns a section at the end: its heading, and published claims with the findings.
	Remarks(*View) (heading string, remarks []Remark)
}

// A Remark is a claim with the finding.
type Remark struct{ About, Who, Says, Found string }

// A Method is a method with settings under a name of the study.
type Method struct {
	Label    string   `yaml:"label"`     // in tables and figures; the name if empty
	Method   string   `yaml:"method"`    // one of lab.All
	Set      Settings `yaml:"set"`       // differences from polydag.DefaultConfig
	Rows     bool     `yaml:"rows"`      // learn from the rows, as the command learn does; see Experiment.Rows
	Against  string   `yaml:"against"`   // method of the study whose time on the same data and seeds is 1 in the table of times
	MaxNodes int      `yaml:"max_nodes"` // larger tables are skipped because of their cost; 0 means no limit
	Dotted   bool     `yaml:"dotted"`    // dotted line in figures, for one that overlaps another
}

// These are the kinds of experiments.
const (
	KindLearn = "learn" // learn from data and compare with the truth
	KindCost  = "cost"  // measure one evaluation of each constraint with its gradient
	KindCycle = "cycle" // evaluate each constraint on a directed cycle
)

// An Experiment is one grid: every data set, protocol, method and seed.
type Experiment struct {
	Name  string `yaml:"name"`
	Title string `yaml:"title"`
	Note  string `yaml:"note"`
	Kind  string `yaml:"kind"` // learn if empty

	Data      []Data   `yaml:"data"`
	Protocols []string `yaml:"protocols"` // raw if empty
	Methods   []string `yaml:"methods"`   // names from Study.Methods
	Seeds     []uint64 `yaml:"seeds"`     // 1 if empty
	Trace     bool     `yaml:"trace"`     // record |h| over the steps
	// Rows learns from the rows instead of the moments, so that the model follows from the column kinds. Halves
	// also learns from every other row and from the rest, and compares the graphs; it needs Rows.
	Rows   bool `yaml:"rows"`
	Halves bool `yaml:"halves"`

	Columns   []string `yaml:"columns"`   // metrics of the table, see metricNames
	Times     bool     `yaml:"times"`     // add a table of the solver's times
	Aggregate bool     `yaml:"aggregate"` // add a table over all data of the experiment
	Edges     bool     `yaml:"edges"`     // list the learned edges
	Figures   []string `yaml:"figures"`   // see figureNames
	Draw      []string `yaml:"draw"`      // methods whose graphs the figure graph shows; all if empty

	// Quick replaces the fields that it sets in a quick run. Experiments without it are omitted from a quick
	// run.
	Quick *Quick `yaml:"quick"`
}

// Quick is the small form of an experiment.
type Quick struct {
	Data    []Data   `yaml:"data"`
	Methods []string `yaml:"methods"`
	Seeds   []uint64 `yaml:"seeds"`
}

// Read reads and validates a study. An unknown field is an error with its line.
func Read(r io.Reader) (*Study, error) {
	dec := yaml.NewDecoder(r)
	dec.KnownFields(true)
	st := &Study{}
	if err := dec.Decode(st); err != nil {
		var faults *yaml.TypeError
		switch {
		case errors.Is(err, io.EOF):
			err = errors.New("the file is empty")
		case errors.As(err, &faults): // one line, as for other errors
			err = errors.New(strings.Join(faults.Errors, "; "))
		}
		return nil, fmt.Errorf("%w; polydag reproduce --set print shows a study to start from", err)
	}
	return st, st.Validate()
}

// Label returns the label of a method.
func (st *Study) Label(name string) string {
	if l := st.Methods[name].Label; l != "" {
		return l
	}
	return name
}

// experiment returns the named experiment, or nil.
func (st *Study) experiment(name string) *Experiment {
	for i := range st.Experiments {
		if st.Experiments[i].Name == name {
			return &st.Experiments[i]
		}
	}
	return nil
}
