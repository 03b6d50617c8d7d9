package polydag

import (
	"errors"
	"fmt"
	"strings"

	"github.com/polydag/polydag/internal/methods"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/method"
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
	return Config{Method: l.All()[0], Methods: l, Names: NamesOn, CheckScale: CheckScaleAuto, Seed: 1, Threads: 1}
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
