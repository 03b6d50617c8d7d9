package report

import (
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/trust"
)

// Words says how a setting is told to the program whose user reads the text, such as --missing drop. Without it a setting goes by
// its name and value, as in missing=drop.
type Words func(fault.Remedy) string

func (t *printer) setting(r fault.Remedy) string {
	if t.words == nil {
		return r.String()
	}
	return t.words(r)
}

// wayOut is the way out of a finding in the words of the printer.
func (t *printer) wayOut(f trust.Finding) string {
	return fault.Reword(f.WayOut, f.Remedies, t.setting)
}

func first(words []Words) Words {
	if len(words) == 0 {
		return nil
	}
	return words[0]
}
