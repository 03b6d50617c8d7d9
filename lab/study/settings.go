package study

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/lab"
	"github.com/polydag/polydag/method/param"
)

// Settings are the settings of a method in a study, as text under the names of flags or results. Absent ones
// keep their defaults.
type Settings map[string]string

// UnmarshalYAML reads plain values of any type as their text.
func (s *Settings) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.MappingNode {
		return fmt.Errorf("line %d: want settings as name: value", n.Line)
	}
	*s = Settings{}
	for i := 0; i < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if value.Kind != yaml.ScalarNode {
			return fmt.Errorf("line %d: %s: want a plain value", value.Line, key.Value)
		}
		(*s)[strings.ReplaceAll(key.Value, "_", "-")] = value.Value
	}
	return nil
}

// These are the settings of a study's method that do not belong to the method.
const (
	checkScale = "check-scale"
	nameRules  = "names"
)

func (m Method) config() (polydag.Config, error) {
	c := polydag.DefaultConfig()
	c.CheckScale, c.Names = polydag.CheckScaleNever, polydag.NamesOff // methods are compared by what they find in the rows
	var err error
	if c.Method, err = lab.Find(m.Method); err != nil {
		return polydag.DefaultConfig(), err
	}
	set := param.Of(c.Method)
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(m.Set)) {
		if name == checkScale {
			c.CheckScale = polydag.CheckScale(m.Set[name])
		} else if name == nameRules {
			c.Names = polydag.Names(m.Set[name])
		} else if err := set.Set(name, m.Set[name]); err != nil {
			errs = append(errs, err)
		}
	}
	return c, errors.Join(append(errs, set.Finish(), c.Validate())...)
}

// used is the part of a configuration that its method uses. It is part of a run's key, so that a changed
// default makes new runs.
type used struct {
	Method     string             `json:"method"`
	Settings   param.Record       `json:"settings,omitempty"`
	CheckScale polydag.CheckScale `json:"check_scale,omitempty"` // absent if never
	Names      polydag.Names      `json:"names,omitempty"`       // absent if off
}

func usedOf(c polydag.Config) *used {
	u := &used{Method: c.Method.Info().Name, Settings: param.Of(c.Method).Record()}
	if c.CheckScale != polydag.CheckScaleNever {
		u.CheckScale = c.CheckScale
	}
	if c.Names != polydag.NamesOff {
		u.Names = c.Names
	}
	return u
}
