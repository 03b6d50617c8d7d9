package method

import (
	"math"
	"slices"
	"testing"
)

func TestCheckOfEffects(t *testing.T) {
	some := func(n int) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = float64(i)
		}
		return out
	}
	levels := func(n int) []string { return slices.Repeat([]string{"x"}, n) }
	at := func(v float64) *float64 { return &v }
	table := func(change func(*Effect)) *Effect {
		e := &Effect{Form: EffectTable, FromLevels: levels(2), ToLevels: levels(3), P: [][]float64{{0, 0.5, 0.5}, {1, 0, 0}}}
		change(e)
		return e
	}
	for what, e := range map[string]*Effect{
		"a table":                  table(func(e *Effect) {}),
		"a table with counts":      table(func(e *Effect) { e.Counts = [][]int{{1, 2, 3}, {4, 5, 6}} }),
		"a table along numbers":    table(func(e *Effect) { e.X = some(2) }),
		"means":                    {Form: EffectMeans, FromLevels: levels(8), Y: some(8), Rows: make([]int, 8)},
		"a curve":                  {Form: EffectCurve, X: some(25), Y: some(25), Low: at(1), High: at(1)},
		"a curve of two points":    {Form: EffectCurve, X: some(2), Y: []float64{3, -3}},
		"a curve with equal steps": {Form: EffectCurve, X: []float64{1, 1, 2}, Y: some(3)},
	} {
		if err := e.Check(); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	for what, e := range map[string]*Effect{
		"no form":                    {X: some(2), Y: some(2)},
		"too many levels":            {Form: EffectMeans, FromLevels: levels(9), Y: some(9)},
		"too many points":            {Form: EffectCurve, X: some(26), Y: some(26)},
		"too many categories":        table(func(e *Effect) { e.ToLevels = levels(9) }),
		"rows of other levels":       {Form: EffectMeans, FromLevels: levels(3), Y: some(3), Rows: make([]int, 2)},
		"means of no levels":         {Form: EffectMeans},
		"means of other levels":      {Form: EffectMeans, FromLevels: levels(3), Y: some(2)},
		"a curve of one point":       {Form: EffectCurve, X: some(1), Y: some(1)},
		"a curve without values":     {Form: EffectCurve, X: some(3), Y: some(2)},
		"values that descend":        {Form: EffectCurve, X: []float64{1, 0}, Y: some(2)},
		"a value that is no number":  {Form: EffectCurve, X: some(2), Y: []float64{0, math.NaN()}},
		"an infinite place":          {Form: EffectCurve, X: []float64{0, math.Inf(1)}, Y: some(2)},
		"a low end alone":            {Form: EffectCurve, X: some(2), Y: some(2), Low: at(0)},
		"a high end alone":           {Form: EffectCurve, X: some(2), Y: some(2), High: at(0)},
		"ends the wrong way":         {Form: EffectCurve, X: some(2), Y: some(2), Low: at(1), High: at(0)},
		"a table of no rows":         table(func(e *Effect) { e.FromLevels, e.P = nil, nil }),
		"a table of no columns":      table(func(e *Effect) { e.ToLevels, e.P = nil, [][]float64{{}, {}} }),
		"a table with a row missing": table(func(e *Effect) { e.P = e.P[:1] }),
		"a short row":                table(func(e *Effect) { e.P[1] = e.P[1][:2] }),
		"counts of one row":          table(func(e *Effect) { e.Counts = [][]int{{1, 2, 3}} }),
		"short counts":               table(func(e *Effect) { e.Counts = [][]int{{1, 2, 3}, {4, 5}} }),
		"numbers of other levels":    table(func(e *Effect) { e.X = some(3) }),
		"a probability above 1":      table(func(e *Effect) { e.P[0][0] = 1.1 }),
		"a probability below 0":      table(func(e *Effect) { e.P[0][0] = -0.1 }),
		"no probability":             table(func(e *Effect) { e.P[0][0] = math.NaN() }),
	} {
		if err := e.Check(); err == nil {
			t.Errorf("%s is accepted", what)
		}
	}
}

func TestRoundEffect(t *testing.T) {
	for v, want := range map[float64]float64{
		0: 0, 1234.56789: 1234.57, -1234.56789: -1234.57, 0.000123456789: 0.000123457, 999999.5: 1e6, 1.5: 1.5, 1e300: 1e300, 5e-324: 5e-324,
		123456789: 123457000, math.Inf(1): math.Inf(1),
	} {
		if got := RoundEffect(v); got != want {
			t.Errorf("%v is rounded to %v, want %v", v, got, want)
		}
	}
	if got := RoundEffect(math.NaN()); got == got {
		t.Errorf("NaN is rounded to %v", got)
	}
}
