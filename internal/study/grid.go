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
	// References are published numbers to stand beside ours.
	References []Reference `yaml:"references"`

	// Flag is the flag of polydag reproduce that chooses the study, where there is one: the report has it in its command.
	Flag string `yaml:"-"`
	// Comments, if not nil, adds to the report what only the author of the study can say.
	Comments Commentary `yaml:"-"`
}

// A Commentary says what the records of a study mean.
type Commentary interface {
	// Summary answers, at the top of the report, the questions that a reader has: a line of Markdown each.
	Summary(*View) []string
	// Remarks is a section at the end: its heading, and what is claimed somewhere beside what the records say.
	Remarks(*View) (heading string, remarks []Remark)
}

// A Remark is what someone says beside what was found.
type Remark struct{ About, Who, Says, Found string }

// A Method is a way of learning under a name of the study's own.
type Method struct {
	Label    string   `yaml:"label"`     // in tables and figures; the name if empty
	Method   string   `yaml:"method"`    // one of polydag.Methods
	Set      Settings `yaml:"set"`       // what differs from polydag.DefaultConfig
	MaxNodes int      `yaml:"max_nodes"` // larger tables are left out for their cost; 0 means none are
	Dotted   bool     `yaml:"dotted"`    // its line in figures, for one that lies on another
}

// The kinds of experiment.
const (
	KindLearn = "learn" // learn from data and compare with the truth
	KindCost  = "cost"  // time one evaluation of each constraint with its gradient
	KindCycle = "cycle" // evaluate each constraint on one directed cycle
)

// An Experiment is one grid: every data set under every protocol by every method from every seed.
type Experiment struct {
	Name  string `yaml:"name"`
	Title string `yaml:"title"`
	Note  string `yaml:"note"`
	Kind  string `yaml:"kind"` // learn if empty

	Data      []Data   `yaml:"data"`
	Protocols []string `yaml:"protocols"` // raw if empty
	Methods   []string `yaml:"methods"`   // names from Study.Methods
	Seeds     []uint64 `yaml:"seeds"`     // 1 if empty
	Trace     bool     `yaml:"trace"`     // keep |h| over the steps
	// Rows learns from the rows instead of the moments, so that the model follows from what the columns are. Halves learns besides
	// from every other row and from the rest, and compares; it needs Rows.
	Rows   bool `yaml:"rows"`
	Halves bool `yaml:"halves"`

	Columns   []string `yaml:"columns"`   // metrics of the table, see metricNames
	Times     bool     `yaml:"times"`     // a table of the solver's times
	Aggregate bool     `yaml:"aggregate"` // a second table over all data of the experiment
	Edges     bool     `yaml:"edges"`     // list the learned edges
	Figures   []string `yaml:"figures"`   // see figureNames
	Draw      []string `yaml:"draw"`      // methods whose graphs the figure graph shows; all if empty

	// Quick replaces fields of the experiment in a quick run: those it sets. An experiment without it is left out
	// of a quick run.
	Quick *Quick `yaml:"quick"`
}

// Quick is the small form of an experiment.
type Quick struct {
	Data    []Data   `yaml:"data"`
	Methods []string `yaml:"methods"`
	Seeds   []uint64 `yaml:"seeds"`
}

// Read reads a study and checks all of it. A field that is not known is an error, with its line.
func Read(r io.Reader) (*Study, error) {
	dec := yaml.NewDecoder(r)
	dec.KnownFields(true)
	st := &Study{}
	if err := dec.Decode(st); err != nil {
		var faults *yaml.TypeError
		switch {
		case errors.Is(err, io.EOF):
			err = errors.New("the file is empty")
		case errors.As(err, &faults): // one line, as all our errors
			err = errors.New(strings.Join(faults.Errors, "; "))
		}
		return nil, fmt.Errorf("%w; polydag reproduce --print shows a study to start from", err)
	}
	return st, st.Validate()
}

// label returns the words for a method.
func (st *Study) Label(name string) string {
	if l := st.Methods[name].Label; l != "" {
		return l
	}
	return name
}

// experiment returns the named experiment, nil if there is none.
func (st *Study) experiment(name string) *Experiment {
	for i := range st.Experiments {
		if st.Experiments[i].Name == name {
			return &st.Experiments[i]
		}
	}
	return nil
}
