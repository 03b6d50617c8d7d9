package report_test

import (
	"strings"
	"testing"

	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/internal/role"
	"github.com/polydag/polydag/report"
)

func TestColumnNames(t *testing.T) {
	columns := []string{"age", "treatment", "status", "time", "score x"}
	r := role.Read(role.Columns(columns, nil))
	var b strings.Builder
	must.Succeed(t, report.ColumnNames(columns, r, 0)(&b))
	for _, want := range []string{"\n  come first  age\n", "\n  come last   status, time\n", "\n  to enforce  roots=age leaves=status,time\n", "\n  unsure      treatment: roots=treatment if it was assigned at random\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in\n%s", want, b.String())
		}
	}
	b.Reset()
	must.Succeed(t, report.ColumnNamesList(columns, r, 0)(&b))
	for _, want := range []string{"age        given       age", "treatment  treatment?  treatment", "time       outcome     time to event  status", "score x    unknown"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in\n%s", want, b.String())
		}
	}
	b.Reset()
	must.Succeed(t, report.ColumnNames([]string{"a", "b"}, role.Read(role.Columns([]string{"a", "b"}, nil)), 0)(&b))
	if b.Len() > 0 {
		t.Errorf("names that say nothing are printed: %s", b.String())
	}
	long := make([]string, 20)
	for j := range long {
		long[j] = "price" + string(rune('a'+j)) + "_visits"
	}
	b.Reset()
	must.Succeed(t, report.ColumnNames(long, role.Read(role.Columns(long, nil)), 0)(&b))
	if strings.Contains(b.String(), "to enforce") {
		t.Errorf("a flag with 20 columns is proposed:\n%s", b.String())
	}
}
