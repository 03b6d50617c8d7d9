package sim

import (
	"fmt"
	"slices"
)

// known reports whether a kind has a name.
func known[K ~int](k K, names []string) bool { return k >= 0 && int(k) < len(names) }

// nameOf returns the name of a kind, or its type and number if it has none.
func nameOf[K ~int](k K, kind string, names []string) string {
	if !known(k, names) {
		return fmt.Sprintf("%s(%d)", kind, int(k))
	}
	return names[k]
}

// parse sets a kind to the one with this name, or returns unknown.
func parse[K ~int](k *K, names []string, text []byte, unknown error) error {
	i := slices.Index(names, string(text))
	if i < 0 {
		return unknown
	}
	*k = K(i)
	return nil
}

// faults collects errors of a configuration.
type faults []error

// unless adds an error if ok is false.
func (f *faults) unless(ok bool, format string, args ...any) {
	if !ok {
		*f = append(*f, fmt.Errorf(format, args...))
	}
}
