package polydag

import (
	"context"
	"errors"
	"fmt"

	"github.com/polydag/polydag/knowledge"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/param"
)

// Config says how to learn: a method with its settings, and what is the same for all methods. Start from DefaultConfig.
type Config struct {
	// Method holds its own settings; the packages under method/ have one each, and Methods lists them.
	Method method.Method
	// Knowledge has required and forbidden edges and tiers. Not every method takes it: see method.Info.
	Knowledge knowledge.Spec

	Standardize bool       // learn from columns scaled to unit variance
	CheckScale  CheckScale // learn a second time in other units and compare
	Seed        uint64     // of everything random
	Threads     int        // never changes the result
}

// CheckScale says when the answer is compared with the one in other units.
type CheckScale string

// When the answer is compared with the one in other units.
const (
	CheckScaleAuto   CheckScale = "auto"   // where the method says that its answer depends on the units
	CheckScaleAlways CheckScale = "always" // whatever the method
	CheckScaleNever  CheckScale = "never"
)

// DefaultConfig has the first method of the list.
func DefaultConfig() Config {
	return Config{Method: Methods()[0], CheckScale: CheckScaleAuto, Seed: 1, Threads: 1}
}

// ErrConfig is matched by every fault that Validate reports.
var ErrConfig = errors.New("the configuration is at fault")

// configError is a fault of the configuration, whose text is the fault's own.
type configError struct{ error }

func (e configError) Unwrap() error        { return e.error }
func (e configError) Is(target error) bool { return target == ErrConfig }

// ErrNil is matched by the error of a function that was given nil for a context, a table, moments, a result, a graph or a function.
var ErrNil = errors.New("an argument is nil")

// nilArgument is the error for an argument that is nil, with what to pass instead.
func nilArgument(name, instead string) error {
	return fmt.Errorf("%w: %s; %s", ErrNil, name, instead)
}

func nilContext(ctx context.Context) error {
	if ctx == nil {
		return nilArgument("the context", "pass context.Background()")
	}
	return nil
}

// usable reports a nil context and a table without moments.
func (t *Table) usable(ctx context.Context) error {
	if t == nil || t.Moments == nil {
		return nilArgument("the table or its moments", "make a table with FromRows, FromColumns, Prepare or FromMoments")
	}
	return nilContext(ctx)
}

func configf(format string, args ...any) error { return configError{fmt.Errorf(format, args...)} }

// Validate reports every fault at once and repairs none. Each matches ErrConfig, and those of settings are a *param.Fault.
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
	s.Bool(&c.Standardize, "standardize", "scale every column to unit variance first")
	param.Word(s, &c.CheckScale, "check-scale", "learn a second time in other units and compare: auto (where the answer depends on the units), always or never",
		CheckScaleAuto, CheckScaleAlways, CheckScaleNever)
	s.Int(&c.Threads, "threads", "threads; they change the time, never the result", param.AtLeast(1))
	return s
}

// split takes a joined error apart.
func split(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	if err != nil {
		return []error{err}
	}
	return nil
}

// checksScale reports whether the run is done a second time in other units.
func (c Config) checksScale() bool {
	return c.CheckScale == CheckScaleAlways || c.CheckScale == CheckScaleAuto && !c.Method.Info().UnitFree
}

// Memory returns about how many bytes a run on so many rows and columns takes at most, the moments included: twice what it holds at a
// time, since the garbage collector lets as much again pile up, and what the process takes by itself. With a checkpoint add
// CheckpointMemory.
func (c Config) Memory(rows, columns int) int64 {
	own := int64(6<<20) + int64(c.Threads)<<21
	if c.Method == nil {
		return own
	}
	most := c.Method.Cost(rows, columns, c.Threads).Bytes
	if c.checksScale() {
		most += method.Matrices(2, columns, 64) // the first answer waits
	}
	return own + 2*most
}

// CheckpointMemory returns about how many bytes a checkpoint takes besides: the state of the method, encoded, and the copies on
// the way to the disk; where the answer is compared with that in other units, the first answer too.
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
