package polydag

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/knowledge"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/anm"
	"github.com/polydag/polydag/method/auto"
	"github.com/polydag/polydag/method/continuous"
	"github.com/polydag/polydag/method/daggnn"
	"github.com/polydag/polydag/method/dagma"
	"github.com/polydag/polydag/method/dagmamlp"
	"github.com/polydag/polydag/method/fci"
	"github.com/polydag/polydag/method/fges"
	"github.com/polydag/polydag/method/ges"
	"github.com/polydag/polydag/method/golemev"
	"github.com/polydag/polydag/method/golemnv"
	"github.com/polydag/polydag/method/grandag"
	"github.com/polydag/polydag/method/lingam"
	"github.com/polydag/polydag/method/mmhc"
	"github.com/polydag/polydag/method/nocurl"
	"github.com/polydag/polydag/method/notears"
	"github.com/polydag/polydag/method/notearsexp"
	"github.com/polydag/polydag/method/notearsmlp"
	"github.com/polydag/polydag/method/order"
	"github.com/polydag/polydag/method/orderfci"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/method/pc"
	"github.com/polydag/polydag/method/polydag"
	"github.com/polydag/polydag/method/polydaggeo"
	"github.com/polydag/polydag/method/polydagpoly"
	"github.com/polydag/polydag/method/rfci"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/method/tmpi"
)

//go:generate go test . -run ^TestPagesListTheMethods$ -update

// Methods returns every method with its default settings, the default method first. Each call returns new values that the
// caller may change.
func Methods() []method.Method {
	return []method.Method{
		auto.New(),
		order.New(),
		ges.New(),
		fges.New(),
		mmhc.New(),
		lingam.New(),
		anm.New(),
		continuous.New(),
		polydag.New(),
		polydaggeo.New(),
		polydagpoly.New(),
		notearsexp.New(),
		notears.New(),
		tmpi.New(),
		golemev.New(),
		golemnv.New(),
		nocurl.New(),
		dagma.New(),
		notearsmlp.New(),
		dagmamlp.New(),
		grandag.New(),
		daggnn.New(),
		pc.New(),
		fci.New(),
		rfci.New(),
		orderfci.New(),
	}
}

// FindMethod returns the method of that name with its default settings. The error matches ErrConfig.
func FindMethod(name string) (method.Method, error) {
	var all []string
	for _, m := range Methods() {
		if m.Info().Name == name {
			return m, nil
		}
		all = append(all, m.Info().Name)
	}
	hint := ""
	if near, ok := names.Nearest(name, false, all); ok {
		hint = fmt.Sprintf("; did you mean %s?", near)
	}
	return nil, configf("method %q is unknown; choose %s%s", name, strings.Join(all, ", "), hint)
}

// Config holds a method with its settings and the settings that all methods share. Start from DefaultConfig.
type Config struct {
	// Method is the method with its own settings. Each package under method/ has one, and Methods lists them.
	Method method.Method
	// Knowledge lists required and forbidden edges and tiers. Not every method accepts it: see method.Info.
	Knowledge knowledge.Spec

	Standardize bool       // learn from standardized columns
	CheckScale  CheckScale // whether to learn a second time in other units and compare
	Seed        uint64     // seed of all random choices
	Threads     int        // number of threads; never changes the result
}

// CheckScale says when the graph is compared with the graph learned in other units.
type CheckScale string

const (
	CheckScaleAuto   CheckScale = "auto"   // if the method's answer depends on the units
	CheckScaleAlways CheckScale = "always" // for every method
	CheckScaleNever  CheckScale = "never"
)

// DefaultConfig returns the default settings with the first method of Methods.
func DefaultConfig() Config {
	return Config{Method: Methods()[0], CheckScale: CheckScaleAuto, Seed: 1, Threads: 1}
}

// ErrConfig is matched by every error that Validate reports.
var ErrConfig = errors.New("the configuration is at fault")

// configError marks an error as a configuration error and keeps its text.
type configError struct{ error }

func (e configError) Unwrap() error        { return e.error }
func (e configError) Is(target error) bool { return target == ErrConfig }

func configf(format string, args ...any) error { return configError{fmt.Errorf(format, args...)} }

// Validate reports every error at once. Each matches ErrConfig, and errors of settings are a *param.Fault.
func (c Config) Validate() error {
	var errs []error
	if c.Method == nil {
		return configf("there is no method; take DefaultConfig")
	}
	settings := c.common()
	c.Method.Params(settings)
	for _, err := range split(settings.Finish()) {
		errs = append(errs, configError{err})
	}
	if info := c.Method.Info(); !info.Knowledge && !c.Knowledge.Empty() {
		errs = append(errs, configf("method %s takes no prior knowledge; choose one that does, as polydag methods shows", info.Name))
	}
	return errors.Join(errs...)
}

// common describes the settings that all methods share.
func (c *Config) common() *param.Set {
	s := new(param.Set)
	s.Bool(&c.Standardize, "standardize", "standardize the columns first")
	param.Word(s, &c.CheckScale, "check-scale", "repeat the run in other units and compare: auto (if the method depends on units), always or never",
		CheckScaleAuto, CheckScaleAlways, CheckScaleNever)
	s.Int(&c.Threads, "threads", "number of threads; does not change the result", param.AtLeast(1))
	return s
}

// split returns the parts of a joined error.
func split(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	if err != nil {
		return []error{err}
	}
	return nil
}

// checksScale reports whether to learn a second time in other units.
func (c Config) checksScale() bool {
	return c.CheckScale == CheckScaleAlways || c.CheckScale == CheckScaleAuto && !c.Method.Info().UnitFree
}

// Memory estimates the largest number of bytes that a run on this many rows and columns takes. It is twice the live memory,
// because the garbage collector lets as much again accumulate, plus the moments and the process itself. With a checkpoint
// add CheckpointMemory.
func (c Config) Memory(rows, columns int) int64 {
	own := int64(6<<20) + int64(c.Threads)<<21
	if c.Method == nil {
		return own
	}
	most := c.Method.Cost(rows, columns, c.Threads).Bytes
	if c.checksScale() {
		most += method.Matrices(2, columns, 64) // memory of the first answer
	}
	return own + 2*most
}

// CheckpointMemory estimates the additional bytes that a checkpoint takes: the encoded state of the method and its copies
// during the save, and the first answer if the scale check runs.
func (c Config) CheckpointMemory(rows, columns int) int64 {
	if c.Method == nil {
		return 0
	}
	need := int64(columns)<<10 + c.Method.Cost(rows, columns, c.Threads).State
	if c.checksScale() {
		need += method.Matrices(5, columns, 64)
	}
	return need
}

// record returns the settings as used, the rules that overrule column kinds, and the columns of regimes and clusters. It
// omits Threads, which does not change the result.
func (c Config) record(t *Table) param.Record {
	r := param.Record{{Key: "standardize", Value: c.Standardize}}
	r = append(r, param.Of(c.Method).Record()...)
	if !c.Knowledge.Empty() {
		r = append(r, param.Entry{Key: "knowledge", Value: c.Knowledge})
	}
	if len(t.rules) > 0 {
		r = append(r, param.Entry{Key: "kind", Value: t.rules})
	}
	if t.Regimes != nil {
		key := "targets"
		if t.Regimes.Unknown {
			key = "regimes"
		}
		r = append(r, param.Entry{Key: key, Value: cmp.Or(t.Regimes.Setting, t.Regimes.Column)})
	}
	if t.clusters != nil {
		r = append(r, param.Entry{Key: "clusters", Value: t.clusters.Column})
	}
	return r
}

// key identifies everything that decides a result.
func (c Config) key(data *dataset.Moments, t *Table) (stage.Key, error) {
	settings := append(c.record(t), param.Entry{Key: "method", Value: c.Method.Info().Name},
		param.Entry{Key: "seed", Value: c.Seed}, param.Entry{Key: "check_scale", Value: c.checksScale()})
	text, err := json.Marshal(settings)
	if err != nil {
		return stage.Key{}, err
	}
	about := map[string]any{"rows": data.N, "columns": data.Names}
	if len(data.Names) > 20 {
		about["columns"] = len(data.Names)
	}
	for flag, value := range t.Source.Reading {
		about["--"+flag] = value
	}
	table, err := json.Marshal(about)
	return stage.Key{Data: t.fingerprint(data), Settings: text, Table: table}, err
}
