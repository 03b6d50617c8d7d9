package report

import (
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/trust"
)

// Words formats a setting for the user of the program, such as --missing drop. By default a setting is written
// as missing=drop.
type Words func(fault.Remedy) string

func (t *printer) setting(r fault.Remedy) string {
	if t.words == nil {
		return r.String()
	}
	return t.words(r)
}

// wayOut returns the remedy of a finding in the words of the printer.
func (t *printer) wayOut(f trust.Finding) string {
	return fault.Reword(f.WayOut, f.Remedies, t.setting)
}

func first(words []Words) Words {
	if len(words) == 0 {
		return nil
	}
	return words[0]
}
