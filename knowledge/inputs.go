package knowledge

import "github.com/polydag/polydag/internal/names"

// inputs marks the columns that no edge leads to; nil if none is listed.
func inputs(columns, listed []string) (out []bool, errs []error) {
	if len(listed) == 0 {
		return nil, nil
	}
	at := names.Index(columns)
	out = make([]bool, len(columns))
	for _, name := range listed {
		j, ok := at[name]
		if !ok {
			errs = append(errs, fault("inputs: there is no column %q; check the spelling", name))
			continue
		}
		out[j] = true
	}
	return out, errs
}
