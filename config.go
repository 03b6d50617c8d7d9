package polydag

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/prepare"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/internal/methods"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/knowledge"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/method/stage"
)

// A MethodList returns the methods that a program offers, the default method first. Each call returns new values with default settings,
// which the caller may change. The nil list is that of Methods. A program adds a method of its own with
//
//	func list() []method.Method { return append(polydag.Methods(), nearest.New()) }
//
// and passes list to Config.Methods or command.Main.
type MethodList func() []method.Method

// Methods returns every method of this module with its default settings, the default method first. Each call returns new values that
// the caller may change.
func Methods() []method.Method { return methods.All() }

// FindMethod returns the method of this module that has this name, with its default settings. The error matches ErrConfig.
func FindMethod(name string) (method.Method, error) { return MethodList(nil).Find(name) }

// All returns new values of all methods of the list.
func (l MethodList) All() []method.Method {
	if l == nil {
		return Methods()
	}
	return l()
}

// Find returns the method of that name with its default settings. The error matches ErrConfig.
func (l MethodList) Find(name string) (method.Method, error) {
	var all []string
	for _, m := range l.All() {
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

// Config returns the default settings with the first method of the list.
func (l MethodList) Config() Config {
	c := Config{Methods: l, Names: NamesOn, CheckScale: CheckScaleAuto, Seed: 1, Threads: 1}
	if all := l.All(); len(all) > 0 { // Validate reports an empty list
		c.Method = all[0]
	}
	return c
}

// Validate reports an empty list, a method without a name, and a name that two methods have. The errors match ErrConfig.
func (l MethodList) Validate() error {
	all := l.All()
	if len(all) == 0 {
		return configf("the list of methods is empty; add a method")
	}
	var faults []error
	seen := map[string]bool{}
	for k, m := range all {
		switch {
		case m == nil:
			faults = append(faults, configf("method %d of the list is nil; pass what New of its package returns", k+1))
			continue
		case m.Info().Name == "":
			faults = append(faults, configf("method %d of the list has no name; set Info.Name", k+1))
		case seen[m.Info().Name]:
			faults = append(faults, configf("the list has two methods with the name %s; rename one in Info.Name", m.Info().Name))
		}
		seen[m.Info().Name] = true
	}
	return errors.Join(faults...)
}

// Config holds a method with its settings and the settings that all methods share. Start from DefaultConfig. An empty Method, Names or
// CheckScale, 0 Threads and a method without any setting, such as &order.Method{}, stand for their defaults.
type Config struct {
	// Method is the method with its own settings. Each package under method/ has one, and Methods lists them.
	Method method.Method
	// Methods is the list that Method is from. Other processes and bootstrap samples find the method there by its name. Nil is the list of
	// this module.
	Methods MethodList
	// Knowledge lists required and forbidden edges, tiers and prior probabilities. Not every method accepts it: see method.Info.
	Knowledge knowledge.Spec

	// Names says whether the names of columns are evidence on directions: age comes first, death last.
	Names Names

	Standardize bool       // learn from standardized columns
	CheckScale  CheckScale // whether to learn a second time in other units and compare
	Seed        uint64     // seed of all random choices
	Threads     int        // number of threads; never changes the result
}

// Names says whether the names of columns are evidence on directions.
type Names string

const (
	NamesOn  Names = "on"
	NamesOff Names = "off"
)

// CheckScale says when the graph is compared with the graph learned in other units.
type CheckScale string

const (
	CheckScaleAuto   CheckScale = "auto"   // if the method's answer depends on the units
	CheckScaleAlways CheckScale = "always" // for every method
	CheckScaleNever  CheckScale = "never"
)

// DefaultConfig returns the default settings with the first method of Methods.
func DefaultConfig() Config { return MethodList(nil).Config() }

// Filled returns c with the defaults of fields that are empty.
func (c Config) Filled() Config {
	if all := c.Methods.All; c.Method == nil && len(all()) > 0 {
		c.Method = all()[0]
	} else if v := reflect.ValueOf(c.Method); v.Kind() == reflect.Pointer && !v.IsNil() && v.Elem().IsZero() {
		if m, err := c.Methods.Find(c.Method.Info().Name); err == nil {
			c.Method = m
		}
	}
	c.Names, c.CheckScale, c.Threads = cmp.Or(c.Names, NamesOn), cmp.Or(c.CheckScale, CheckScaleAuto), cmp.Or(c.Threads, 1)
	return c
}

// ErrConfig is matched by every error that Config.Validate reports.
var ErrConfig = errors.New("the configuration is at fault")

// ErrKnowledge is matched by every error of prior knowledge.
var ErrKnowledge = knowledge.ErrKnowledge

// configError marks an error as a configuration error and keeps its text.
type configError struct{ error }

func (e configError) Unwrap() error { return e.error }

func (e configError) Is(target error) bool { return target == ErrConfig }

func configf(format string, args ...any) error { return configError{fmt.Errorf(format, args...)} }

// errPriors is the kind of the error for prior probabilities under a method that cannot use them.
var errPriors = fault.Kind("no-priors", "the method cannot use prior probabilities; use the default method, or required and forbidden edges")

// Validate reports every error at once. Each matches ErrConfig, and errors of settings are a *param.Fault.
func (c Config) Validate() error {
	var errs []error
	given := c
	if c.Methods != nil {
		if err := c.Methods.Validate(); err != nil {
			return err
		}
	}
	threads := c.Threads
	if c = c.Filled(); !reflect.ValueOf(given).IsZero() {
		c.Threads = threads // 0 threads beside other settings are a slip; Learn takes them for 1
	}
	settings := c.common()
	c.Method.Params(settings)
	for _, err := range split(settings.Finish()) {
		errs = append(errs, configError{err})
	}
	if info := c.Method.Info(); !info.Knowledge && !c.Knowledge.Empty() {
		errs = append(errs, configf("method %s takes no prior knowledge; choose another one", info.Name))
	} else if !info.Priors && c.Knowledge.HasPriors() {
		errs = append(errs, configError{fault.New(errPriors, fmt.Sprintf("method %s cannot use prior probabilities", info.Name),
			"use %s, or %s and %s instead of %s", fault.Set("method", c.Methods.All()[0].Info().Name), fault.Use("require"), fault.Use("forbid"), fault.Use("prior"))})
	}
	return errors.Join(errs...)
}

// common describes the settings that all methods share.
func (c *Config) common() *param.Set {
	s := new(param.Set)
	s.Bool(&c.Standardize, "standardize", "standardize the columns first")
	param.Word(s, &c.CheckScale, "check-scale", "repeat the run in other units and compare: auto (if the method depends on units), always or never",
		CheckScaleAuto, CheckScaleAlways, CheckScaleNever)
	param.Word(s, &c.Names, "names", "evidence on directions from the names of columns: on or off", NamesOn, NamesOff)
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
	if c.Method == nil {
		return c.memory(0, columns)
	}
	return c.memory(c.Method.Cost(rows, columns, c.Threads).Bytes, columns)
}

// MemoryOf is Memory for a table, which is less if none of its columns is discrete.
func (c Config) MemoryOf(t *Table) int64 {
	m, ok := c.Method.(method.NumericCoster)
	if !ok || t.Kinds == nil || slices.ContainsFunc(t.Kinds, func(v dataset.Variable) bool { return v.Kind.Discrete() }) {
		return c.Memory(t.Moments.N, t.Moments.Dim())
	}
	return c.memory(m.NumericCost(t.Moments.N, t.Moments.Dim(), c.Threads).Bytes, t.Moments.Dim())
}

// memory is Memory for a method that takes this number of bytes.
func (c Config) memory(most int64, columns int) int64 {
	own := int64(6<<20) + int64(c.Threads)<<21
	if c.Method == nil {
		return own
	}
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

// record returns the settings as used, the rules that overrule column kinds, and the columns of environments and groups. It
// omits Threads, which does not change the result.
func (c Config) record(t *Table) param.Record {
	r := param.Record{{Key: "standardize", Value: c.Standardize}}
	r = append(r, param.Of(c.Method).Record()...)
	if c.Names == NamesOff {
		r = append(r, param.Entry{Key: "names", Value: c.Names})
	}
	if !c.Knowledge.Empty() {
		r = append(r, param.Entry{Key: "knowledge", Value: c.Knowledge})
	}
	if rules := t.asked.kinds; len(rules) > 0 {
		r = append(r, param.Entry{Key: "kind", Value: rules})
	}
	if t.Environments != nil {
		key := "targets"
		if t.Environments.Unknown {
			key = "environments"
		}
		r = append(r, param.Entry{Key: key, Value: cmp.Or(t.Environments.Setting, t.Environments.Column)})
	}
	if g := t.form().groups(); g != nil {
		r = append(r, param.Entry{Key: "groups", Value: g.Column})
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
	return stage.Key{Data: prepare.Fingerprint(data, t.environments()), Settings: text, Table: table}, err
}
