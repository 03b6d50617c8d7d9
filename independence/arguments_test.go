package independence_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/independence"
	"github.com/polydag/polydag/internal/counts"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
)

// Columns must exist and differ from each other.
func TestArgumentsOfTests(t *testing.T) {
	g := must.Get(graph.FromEdges(4, nil))
	added := must.Get(independence.NewAdded([]independence.Column{numbers(9, func(i int) float64 { return float64(i * i % 7) }), numbers(9, func(i int) float64 { return float64(i) }),
		numbers(9, func(i int) float64 { return float64(i % 3) }), numbers(9, func(i int) float64 { return float64(i % 2) })}))
	for _, c := range []struct {
		x, y  int
		given []int
		valid bool
	}{
		{0, 1, nil, true}, {1, 0, []int{3, 2}, true}, {0, 3, []int{1}, true}, {3, 1, []int{0}, true},
		{0, 0, nil, false}, {-1, 0, nil, false}, {0, 4, nil, false}, {4, 0, nil, false}, {0, -1, nil, false},
		{0, 1, []int{-1}, false}, {0, 1, []int{4}, false}, {0, 1, []int{0}, false}, {0, 1, []int{1}, false},
	} {
		if _, err := (independence.Oracle{Graph: g}).Independent(c.x, c.y, c.given); errors.Is(err, independence.ErrArguments) == c.valid {
			t.Errorf("columns %d and %d given %v: %v, want valid: %v", c.x, c.y, c.given, err, c.valid)
		}
		if _, err := added.Test(c.x, c.y, c.given); errors.Is(err, independence.ErrArguments) == c.valid {
			t.Errorf("column %d added to the model of %d with %v: %v, want valid: %v", c.x, c.y, c.given, err, c.valid)
		}
	}
	if _, err := (independence.Oracle{Graph: g}).Independent(0, 1, []int{2, 2}); !errors.Is(err, independence.ErrArguments) {
		t.Errorf("a column twice in the condition: %v", err)
	}
}

// Tests refuse data that do not fit.
func TestRefusalsOfTests(t *testing.T) {
	square := matrix.New[float64](4, 4)
	number, code := independence.Column{Values: []float64{1, 2, 4, 3}}, independence.Column{Codes: []uint32{0, 1, 1, 0}, Levels: 2}
	blocks := func(start []int, tested, n int) error {
		_, err := independence.NewBlocks(square, start, tested, n)
		return err
	}
	mixed := func(weight float64, columns ...independence.Column) error {
		_, err := independence.NewMixed(columns, weight)
		return err
	}
	table := must.Get(counts.New([][]int{{0, 1, 0}, {1, 0, 0}}, counts.Rows{}))
	set := must.Get(counts.New([][]int{{0, 1, 0}, {1, 0, 0}}, counts.Rows{Environments: []int{0, 1, 0}, Targets: [][]int{nil, {1}}}))
	levels := func(weight float64) error { _, err := independence.NewG2(table, weight); return err }
	wide := matrix.New[float64](4, 5)
	for what, c := range map[string]struct {
		err   error
		valid bool
	}{
		"blocks":                      {blocks([]int{0, 2, 4}, 1, 4), true},
		"blocks of a part":            {blocks([]int{0, 2, 3}, 1, 4), true},
		"no blocks":                   {blocks(nil, 1, 4), false},
		"blocks from 1":               {blocks([]int{1, 2, 4}, 1, 4), false},
		"blocks beyond the matrix":    {blocks([]int{0, 2, 5}, 1, 4), false},
		"an empty last block":         {blocks([]int{0, 2, 4, 4}, 1, 4), false},
		"an empty block":              {blocks([]int{0, 2, 2, 4}, 1, 4), false},
		"no tested function":          {blocks([]int{0, 2, 4}, 0, 4), false},
		"blocks of three rows":        {blocks([]int{0, 2, 4}, 1, 3), false},
		"a matrix that is not square": {func() error { _, err := independence.NewBlocks(wide, []int{0, 2}, 1, 9); return err }(), false},
		"correlations not square":     {func() error { _, err := independence.NewFisherZ(wide, 9); return err }(), false},
		"four rows":                   {func() error { _, err := independence.NewFisherZ(square, 4); return err }(), true},
		"columns":                     {mixed(1, number, code), true},
		"another number of rows":      {mixed(1, number, independence.Column{Codes: []uint32{0, 1, 1, 0, 1}, Levels: 2}), false},
		"a code beyond the levels":    {mixed(1, number, independence.Column{Codes: []uint32{0, 1, 2, 0}, Levels: 2}), false},
		"the last code":               {mixed(1, number, independence.Column{Codes: []uint32{0, 1, 2, 0}, Levels: 3}), true},
		"a missing value":             {mixed(1, independence.Column{Values: []float64{1, math.NaN(), 2, 3}}, code), false},
		"an infinite value":           {mixed(1, independence.Column{Values: []float64{1, math.Inf(1), 2, 3}}, code), false},
		"three rows":                  {mixed(1, independence.Column{Values: []float64{1, 2, 4}}), false},
		"no columns":                  {mixed(1), false},
		"rows without weight":         {mixed(0, number, code), false},
		"levels":                      {levels(0.5), true},
		"rows with interventions":     {func() error { _, err := independence.NewChi2(set, 1); return err }(), false},
		"levels without weight":       {levels(0), false},
	} {
		if (c.err == nil) != c.valid {
			t.Errorf("%s: %v, want valid: %v", what, c.err, c.valid)
		}
	}
}

// A test of partial correlation needs four rows more than columns in the condition. Blocks need n - 1 - k - (p + q + 1)/2 of at least 1. An
// added column needs two rows more than functions.
func TestRowsOfTests(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	columns := make([]independence.Column, 4)
	for j := range columns {
		columns[j] = numbers(6, func(int) float64 { return rng.NormFloat64() })
	}
	identity := matrix.New[float64](8, 8)
	for i := range 8 {
		identity.Set(i, i, 1)
		for j := range i {
			identity.Set(i, j, 0.1)
			identity.Set(j, i, 0.1)
		}
	}
	for _, c := range []struct {
		rows  int
		given []int
		valid bool
	}{{4, nil, true}, {4, []int{2}, false}, {5, []int{2}, true}, {5, []int{2, 3}, false}, {6, []int{2, 3}, true}} {
		test := must.Get(independence.NewFisherZ(identity, c.rows))
		if _, err := test.Independent(0, 1, c.given); errors.Is(err, independence.ErrRows) == c.valid {
			t.Errorf("partial correlation, %d rows given %v: %v", c.rows, c.given, err)
		}
	}
	// Two functions each, all of the condition: n - 1 - 2 - (2 + 2 + 1)/2 = n - 5.5.
	for rows, valid := range map[int]bool{6: false, 7: true} {
		test := must.Get(independence.NewBlocks(identity, []int{0, 2, 4, 6, 8}, 2, rows))
		if _, err := test.Independent(0, 1, []int{2}); errors.Is(err, independence.ErrRows) == valid {
			t.Errorf("blocks, %d rows: %v", rows, err)
		}
	}
	// An intercept, the condition and the added column: 2 + |given| functions.
	added := must.Get(independence.NewAdded(columns))
	if r, err := added.Test(0, 1, []int{2, 3}); err != nil || r.DF != 1 {
		t.Errorf("six rows and four functions: %+v, %v", r, err)
	}
	five := make([]independence.Column, 4)
	for j := range five {
		five[j] = independence.Column{Values: columns[j].Values[:5]}
	}
	added = must.Get(independence.NewAdded(five))
	if _, err := added.Test(0, 1, []int{2, 3}); !errors.Is(err, independence.ErrRows) {
		t.Errorf("five rows and four functions: %v", err)
	}
}

// Columns of an oracle stand for observed nodes. Selected nodes are in every condition.
func TestOracleOfHiddenAndSelectedNodes(t *testing.T) {
	// 0 → 2 ← 1, and 3 without edges.
	g := must.Get(graph.FromEdges(4, []graph.Edge{{From: 0, To: 2}, {From: 1, To: 2}}))
	for _, c := range []struct {
		o     independence.Oracle
		x, y  int
		given []int
		p     float64
	}{
		{independence.Oracle{Graph: g, Observed: []int{1, 0}}, 0, 1, nil, 1},
		{independence.Oracle{Graph: g, Observed: []int{1, 0}, Selected: []int{2}}, 0, 1, nil, 0},
		{independence.Oracle{Graph: g, Observed: []int{2, 0, 1}}, 1, 2, []int{0}, 0},
		{independence.Oracle{Graph: g, Observed: []int{2, 0, 1}}, 0, 1, nil, 0},
		{independence.Oracle{Graph: g, Observed: []int{3, 0, 1}}, 1, 2, []int{0}, 1},
	} {
		if r, err := c.o.Independent(c.x, c.y, c.given); err != nil || r.P != c.p {
			t.Errorf("observed %v, selected %v: columns %d and %d given %v: %+v, %v, want p = %v", c.o.Observed, c.o.Selected, c.x, c.y, c.given, r, err, c.p)
		}
	}
	if (independence.Oracle{Graph: g, Observed: []int{1, 0}}).Columns() != 2 || (independence.Oracle{Graph: g}).Columns() != 4 {
		t.Error("an oracle has other columns than its observed nodes")
	}
}

// A category that is the only one of a column, and a number that does not vary within a stratum, say nothing about another column.
func TestConstantColumns(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 10))
	const n = 40
	draw := func(int) float64 { return rng.NormFloat64() }
	one, half := codes(make([]uint32, n), 2), make([]uint32, n)
	for i := range half {
		half[i] = uint32(i % 2)
	}
	x := numbers(n, draw)
	byHalf := numbers(n, func(i int) float64 { return float64(half[i]) }) // constant within the strata
	halfOfRows := numbers(n, func(i int) float64 { return float64(half[i]) * x.Values[i] })
	columns := []independence.Column{x, numbers(n, draw), one, codes(half, 2), byHalf, halfOfRows}
	added := must.Get(independence.NewAdded(columns))
	if r, err := added.Test(0, 2, nil); err != nil || r.P != 1 {
		t.Errorf("a number added to a constant category: %+v, %v, want p = 1", r, err)
	}
	test := must.Get(independence.NewMixed(columns, 1))
	for _, c := range []struct {
		what  string
		x, y  int
		given []int
		df    float64
	}{
		{"a number and a constant category", 0, 2, nil, 0},
		{"a number and one that is constant in each stratum", 0, 4, []int{3}, 0},
		{"a number and one that is constant in a stratum", 1, 5, []int{3}, 1},
		{"two numbers in two strata", 0, 1, []int{3}, 2},
	} {
		r, err := test.Independent(c.x, c.y, c.given)
		if err != nil || r.DF != c.df || (c.df == 0) != (r.P == 1) {
			t.Errorf("%s: %+v, %v, want %v degrees of freedom", c.what, r, err, c.df)
		}
	}
}

// A mixed test of two numbers needs four rows more than columns in the condition, in each stratum that counts.
func TestRowsOfMixedNumbers(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 11))
	for rows, valid := range map[int]bool{4: false, 5: true} {
		columns := make([]independence.Column, 3)
		for j := range columns {
			columns[j] = numbers(rows, func(int) float64 { return rng.NormFloat64() })
		}
		test := must.Get(independence.NewMixed(columns, 1))
		if _, err := test.Independent(0, 1, []int{2}); (err == nil) != valid {
			t.Errorf("%d rows: %v, want valid: %v", rows, err, valid)
		}
	}
}

// A cache keeps within its memory: after many other questions, the first one reaches the test again.
func TestMemoryOfCache(t *testing.T) {
	const columns = 60
	g := must.Get(graph.FromEdges(columns, nil))
	for bytes, again := range map[int64]bool{16 << 10: true, 16 << 20: false} {
		asked := 0
		c := independence.NewCache(counting{independence.Oracle{Graph: g}, &asked}, bytes)
		for x := range columns {
			for y := range x {
				must.Get(c.Independent(x, y, nil))
			}
		}
		before := asked
		if _, err := c.Independent(1, 0, nil); err != nil || (asked > before) != again {
			t.Errorf("%d bytes: the first question is asked again: %v, want %v (%v)", bytes, asked > before, again, err)
		}
	}
}

// A number that another one determines depends on it, unless the condition determines it already.
func TestAddedDeterminesTheResponse(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 12))
	x := numbers(30, func(int) float64 { return rng.NormFloat64() })
	double := numbers(30, func(i int) float64 { return 2*x.Values[i] + 1 })
	other, constant := numbers(30, func(int) float64 { return rng.NormFloat64() }), numbers(30, func(int) float64 { return 3 })
	added := must.Get(independence.NewAdded([]independence.Column{x, double, other, constant}))
	for _, c := range []struct {
		x, y  int
		given []int
		small bool
	}{{0, 1, nil, true}, {1, 0, []int{2}, true}, {2, 1, []int{0}, false}, {0, 3, nil, false}} {
		if r, err := added.Test(c.x, c.y, c.given); err != nil || c.small && r.P > 1e-9 || !c.small && r.P != 1 {
			t.Errorf("column %d added to %v in the model of %d: %+v, %v, want a small p-value: %v", c.x, c.given, c.y, r, err, c.small)
		}
	}
}

// A column with fewer functions than are tested is represented by all of its own, and not by those of the next one.
func TestBlocksWithFewFunctions(t *testing.T) {
	gram := matrix.New[float64](3, 3) // columns of one and two functions; the second column is independent of the first except by its second function
	for i := range 3 {
		gram.Set(i, i, 1)
	}
	gram.Set(0, 2, 0.5)
	gram.Set(2, 0, 0.5)
	test := must.Get(independence.NewBlocks(gram, []int{0, 1, 3}, 2, 100))
	r, err := test.Independent(0, 1, nil)
	if want := -(99 - float64(1+2+1)/2) * math.Log(0.75); err != nil || r.DF != 2 || !(math.Abs(r.Statistic-want) <= 1e-9) {
		t.Errorf("%+v, %v, want %v with 2 degrees of freedom", r, err, want)
	}
}

// TestLeastRows checks that tests of partial correlations and of mixed columns need four rows.
func TestLeastRows(t *testing.T) {
	identity := matrix.New[float64](2, 2)
	identity.Set(0, 0, 1)
	identity.Set(1, 1, 1)
	for rows, valid := range map[int]bool{3: false, 4: true} {
		_, plain := independence.NewFisherZ(identity, rows)
		_, wide := independence.NewWideFisherZ(matrix.NewGram([]float64{1, 0, 0, 1}, 2, 1), rows)
		_, mixed := independence.NewMixed([]independence.Column{numbers(rows, func(i int) float64 { return float64(i) })}, 1)
		for name, err := range map[string]error{"correlations": plain, "correlations on demand": wide, "mixed": mixed} {
			if (err == nil) != valid || err != nil && !errors.Is(err, independence.ErrRows) {
				t.Errorf("%s of %d rows: %v, want valid: %v", name, rows, err, valid)
			}
		}
	}
}

// TestResponseOfLevels checks that the column with fewer categories is the response of a logistic regression, in any order of the columns:
// the statistic is that of the other column added to its model.
func TestResponseOfLevels(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 9))
	const n = 400
	many, few := independence.Column{Levels: 4}, independence.Column{Levels: 2}
	number := numbers(n, func(int) float64 { return rng.NormFloat64() })
	for i := range n {
		k := uint32(rng.IntN(4))
		many.Codes = append(many.Codes, k)
		few.Codes = append(few.Codes, 0)
		if number.Values[i]+0.3*float64(k)+rng.NormFloat64() > 0.5 {
			few.Codes[i] = 1
		}
	}
	for _, columns := range [][]independence.Column{{many, few, number}, {few, many, number}} {
		response := 0
		if columns[1].Levels == 2 {
			response = 1
		}
		mixed := must.Get(independence.NewMixed(columns, 1))
		added := must.Get(independence.NewAdded(columns))
		got := must.Get(mixed.Independent(0, 1, []int{2}))
		want, err := added.Test(1-response, response, []int{2})
		if err != nil || got.DF != 3 || math.Abs(got.Statistic-want.Statistic) > 1e-6*want.Statistic {
			t.Errorf("the binary column is number %d: %+v, want %+v, %v", response, got, want, err)
		}
	}
}

// TestSmallLastStratum checks that one stratum with enough rows suffices, wherever it is, and that a constant number is independent of categories
// with a statistic of 0.
func TestSmallLastStratum(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 9))
	for _, small := range []uint32{0, 1} {
		stratum := independence.Column{Levels: 2}
		for i := range 40 {
			code := 1 - small
			if i%20 == 7 { // two rows, which are too few
				code = small
			}
			stratum.Codes = append(stratum.Codes, code)
		}
		columns := []independence.Column{numbers(40, func(int) float64 { return rng.NormFloat64() }), numbers(40, func(int) float64 { return rng.NormFloat64() }), stratum}
		test := must.Get(independence.NewMixed(columns, 1))
		if got, err := test.Independent(0, 1, []int{2}); err != nil || got.DF != 1 {
			t.Errorf("category %d has two rows: %+v, %v; want one degree of freedom", small, got, err)
		}
		columns[0] = numbers(40, func(int) float64 { return 3 })
		for i := range columns[2].Codes {
			columns[2].Codes[i] = uint32(i % 2)
		}
		if got, err := test.Independent(0, 2, nil); err != nil || got.Statistic != 0 || got.DF != 0 || got.P != 1 {
			t.Errorf("a constant number: %+v, %v; want a statistic of 0", got, err)
		}
	}
}
