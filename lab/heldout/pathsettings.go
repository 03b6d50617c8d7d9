package heldout

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/score"
)

// PathSettings are the settings of a path. Start from DefaultPathSettings.
type PathSettings struct {
	// Values are the penalties, in units of the setting of the model; nil means those of Grid.
	Values []float64
	// Splits is the number of splits of the rows into two halves.
	Splits int
	// MostBytes limits the rows in memory; longer tables are read again for each half.
	MostBytes int64
}

// DefaultPathSettings returns five splits and the penalties of Grid.
func DefaultPathSettings() PathSettings { return PathSettings{Splits: 5, MostBytes: 256 << 20} }

// Validate returns an error that names every invalid setting.
func (s PathSettings) Validate() error {
	var errs []error
	if s.Splits < 2 {
		errs = append(errs, fmt.Errorf("%d splits, want at least 2", s.Splits))
	}
	for i, v := range s.Values {
		switch {
		case !(v >= 0) || math.IsInf(v, 0):
			errs = append(errs, fmt.Errorf("a value of %v, want a number of 0 or more", v))
		case slices.Contains(s.Values[:i], v):
			errs = append(errs, fmt.Errorf("the value %v is there twice", v))
		}
	}
	if s.Values != nil && len(s.Values) < 2 {
		errs = append(errs, fmt.Errorf("%d values make no path, want at least 2", len(s.Values)))
	}
	return errors.Join(errs...)
}

// SettingOf returns the name of the penalty setting of a model: the factor of ln n for a linear one, the
// penalty for the number of columns for a discrete one. For others, whose penalty is fixed, it is the smallest
// gain of an edge in bits per row.
func SettingOf(model score.Effects) string {
	switch model {
	case score.LinearEffects, "":
		return "penalty"
	case score.TableEffects:
		return "gamma"
	}
	return "min-gain"
}

// Grid returns the default values of a path for the given number of rows and columns.
//
// For a linear model they are multiples of the default penalty ln n + 2 ln d, from one half to eight, in units
// of ln n. For a discrete one they are 0 and 1/8 to 8, including the default 1/2. For others they are 0 and
// multiples of ln n / (2n ln 2), the penalty of one parameter in bits per row, from one half to 32.
func Grid(model score.Effects, rows, columns int) (values []float64) {
	n, d := math.Log(max(3, float64(rows))), math.Log(float64(max(columns, 1)))
	switch SettingOf(model) {
	case "penalty":
		for _, times := range []float64{0.5, 0.7, 1, 1.4, 2, 2.8, 4, 5.6, 8} {
			values = append(values, rounded(times*(n+2*d)/n, 3))
		}
	case "gamma":
		values = []float64{0, 0.125, 0.25, 0.5, 1, 2, 4, 8}
	default:
		values = []float64{0}
		for times := 0.5; times <= 32; times *= 2 {
			values = append(values, rounded(score.Bits(times*n, float64(max(rows, 1))), 2))
		}
	}
	return values
}

// rounded returns v with the given number of digits, so that printed and used values agree.
func rounded(v float64, digits int) float64 {
	out, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64) // cannot fail
	return out
}

// with returns the configuration with some settings of its method set, as by flags. The method is a copy.
func with(cfg polydag.Config, given map[string]string) (polydag.Config, error) {
	name := cfg.Method.Info().Name
	m, err := copied(cfg)
	if err != nil {
		return cfg, err
	}
	set := param.Of(m)
	for key, text := range given {
		if set.Lookup(key) == nil {
			return cfg, fmt.Errorf("%w: method %s has no setting %s to make a path of; take the default method", polydag.ErrConfig, name, key)
		}
		if err := set.Set(key, text); err != nil {
			return cfg, err
		}
	}
	if err := set.Finish(); err != nil {
		return cfg, err
	}
	cfg.Method, cfg.CheckScale = m, polydag.CheckScaleNever
	return cfg, nil
}

// copied returns a copy of the method with its settings.
func copied(cfg polydag.Config) (method.Method, error) {
	out, err := cfg.Methods.Find(cfg.Method.Info().Name)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(cfg.Method)
	if err != nil {
		return nil, err
	}
	return out, json.Unmarshal(text, out)
}

// valueText formats a value as for a flag.
func valueText(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
