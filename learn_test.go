package polydag_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/order"
)

func TestConfigIsChecked(t *testing.T) {
	c := polydag.DefaultConfig()
	if err := c.Validate(); err != nil {
		t.Fatalf("the default: %v", err)
	}
	if err := (polydag.Config{}).Validate(); err != nil {
		t.Errorf("the zero Config: %v", err)
	}
	if err := (polydag.Config{Threads: -1}).Validate(); !errors.Is(err, polydag.ErrConfig) {
		t.Errorf("-1 threads: %v", err)
	}
}

// Empty fields stand for defaults beside others: a method without settings, and a preparation that names only a column.
func TestEmptyFieldsAreDefaults(t *testing.T) {
	rows := make([][]float64, 80)
	for i := range rows {
		x := float64(i*i%17) + 0.5
		rows[i] = []float64{x, 2*x + float64(i%5), float64(i * 7 % 11)}
	}
	columns := must.Get(polydag.RowColumns([]string{"a", "b", "c"}, rows))
	ctx, whole := context.Background(), polydag.DefaultPreparation()
	whole.Drop = []string{"c"}
	var got []string
	for _, p := range []polydag.Preparation{whole, {Drop: []string{"c"}}} {
		table := must.Get(polydag.Prepare(ctx, columns, p))
		for _, m := range []method.Method{order.New(), &order.Method{}} {
			res := must.Get(table.Learn(ctx, polydag.Config{Method: m, Seed: 1}, polydag.Run{}))
			got = append(got, fmt.Sprint(res.Names, res.Settings, res.Edges, len(res.DataChecks)))
		}
	}
	if slices.Sort(got); got[0] != got[3] {
		t.Errorf("%v", got)
	}
}

func TestFindMethod(t *testing.T) {
	for _, m := range polydag.Methods() {
		name := m.Info().Name
		if m, err := polydag.FindMethod(name); err != nil || m.Info().Name != name {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := polydag.FindMethod("oder"); err == nil || !strings.Contains(err.Error(), "did you mean order?") {
		t.Errorf("a typing error: %v", err)
	}
}

// TestMemoryOfManyRows checks that the estimate for a numeric table does not grow with its rows, and that for a discrete one only to a
// bound: 7 bytes for each of 2^29 values, doubled for garbage, and caches.
func TestMemoryOfManyRows(t *testing.T) {
	table := &polydag.Table{Moments: dataset.NewMoments(make([]string, 40)), Kinds: make([]dataset.Variable, 40)}
	table.Moments.N = 1_000_000_000
	for j := range table.Kinds {
		table.Kinds[j].Kind = dataset.Continuous
	}
	cfg := polydag.DefaultConfig()
	if need := cfg.MemoryOf(table); need > 2<<30 {
		t.Errorf("%d bytes for numeric columns", need)
	}
	table.Kinds[7].Kind = dataset.Binary
	need := cfg.MemoryOf(table)
	if need < 7<<30 || need > 8<<30 || need != cfg.Memory(1_000_000_000, 40) {
		t.Errorf("%d bytes with a binary column", need)
	}
	if half := cfg.Memory(1<<29/40/2, 40); half < need*2/5 || half > need*3/5 {
		t.Errorf("%d bytes for half of the rows that are kept, %d for all", half, need)
	}
}
