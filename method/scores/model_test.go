package scores

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/basis"
	"github.com/polydag/polydag/internal/counts"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
)

var errRead = errors.New("the rows are read")

// unread returns the input of a table whose rows are an error to read.
func unread(rows, columns int, of kind.Column) *method.Input {
	names := make([]string, columns)
	for j := range names {
		names[j] = fmt.Sprint(j)
	}
	in := &method.Input{Moments: dataset.NewMoments(names), Threads: 1}
	in.Moments.N = rows
	in.Rows = func(context.Context, func(dataset.RowBatch) error) error { return errRead }
	for range columns {
		in.Kinds = append(in.Kinds, of)
	}
	return in
}

// targets adds one environment with an intervention on each of the first columns, so that each of these has its own rows.
func targets(in *method.Input, columns int) {
	in.Environments = &dataset.Environments{}
	for k := range columns {
		in.Environments.Names, in.Environments.Targets, in.Environments.Moments = append(in.Environments.Names, fmt.Sprint(k)), append(in.Environments.Targets, []int{k}), append(in.Environments.Moments, in.Moments)
	}
}

// TestComparisonOfManyCategoriesHasLimits checks both sides of each limit of the comparison of the mixed model with probability tables:
// the upper median of the categories, rows, columns, and entries of the moments of all groups.
func TestComparisonOfManyCategoriesHasLimits(t *testing.T) {
	s := Default()
	for _, c := range []struct {
		name          string
		rows, columns int
		levels        []int // of the first columns; the others have 5
		groups        int
		want          bool
	}{
		{"three of five columns have 5 categories", 100, 5, []int{4, 4}, 1, true},
		{"two of five columns have 5 categories", 100, 5, []int{4, 4, 4}, 1, false},
		{"two of four columns have 5 categories", 100, 4, []int{2, 2}, 1, true},
		{"100,000 rows", 100_000, 3, nil, 1, true},
		{"100,001 rows", 100_001, 3, nil, 1, false},
		{"200 columns", 100, 200, nil, 1, true},
		{"201 columns", 100, 201, nil, 1, false},
		{"4096 categories in all", 100, 2, []int{2048, 2048}, 1, true},
		{"4097 categories in all", 100, 2, []int{2049, 2048}, 1, false},
		{"2048 categories in four groups", 100, 4, []int{512, 512, 512, 512}, 4, true},
		{"2049 categories in four groups", 100, 4, []int{513, 512, 512, 512}, 4, false},
		{"no columns", 100, 0, nil, 1, false},
	} {
		in := unread(c.rows, c.columns, kind.Column{Kind: kind.Categorical, Levels: 5})
		for j, levels := range c.levels {
			in.Kinds[j].Levels = levels
		}
		if c.groups > 1 {
			targets(in, c.groups)
		}
		choice := method.Choice{Chosen: string(Discrete)}
		if err := s.compareLevels(t.Context(), in, &choice); errors.Is(err, errRead) != c.want {
			t.Errorf("%s: compared is %v, want %v", c.name, err != nil, c.want)
		}
		fixed := s
		fixed.Model = Discrete
		if err := fixed.compareLevels(t.Context(), in, &choice); err != nil {
			t.Errorf("%s: a requested model is compared", c.name)
		}
	}
}

// TestLimitsOfCurves checks both sides of the limits within which auto considers curves: columns, rows per column, and moments by group.
func TestLimitsOfCurves(t *testing.T) {
	s := Default()
	for _, c := range []struct {
		rows, columns, groups int
		sample                bool
		reason                string
	}{
		{2000, 1000, 0, false, "the rows were not looked at"},
		{2002, 1001, 0, false, "curves are looked for in at most 1000 columns"},
		{1999, 1000, 0, true, "at least 2 rows per column"},
		{5, 3, 0, true, "at least 2 rows per column"},
		{6, 3, 0, true, "no significant nonlinear effect"},
		{100, 20, 20, true, "no significant nonlinear effect"},
		// 4 functions of each of 1000 columns: 16,000,000 moments, and 256·2²⁰ of 16 groups are fewer than those of 17.
		{1999, 1000, 16, true, "at least 2 rows per column"},
		{1999, 1000, 17, true, "take too much memory"},
	} {
		in := unread(c.rows, c.columns, kind.Column{Kind: kind.Continuous})
		if c.sample {
			rng := rand.New(rand.NewPCG(1, 1))
			in.Sample = &dataset.Sample{Columns: c.columns, Index: make([]int, c.rows)}
			for range c.rows * c.columns {
				in.Sample.Values = append(in.Sample.Values, rng.NormFloat64())
			}
		}
		if c.groups > 0 {
			targets(in, c.groups-1) // the other columns are one more group
		}
		got, err := s.Choose(t.Context(), in)
		if err != nil || Model(got.Chosen) != Linear || !strings.Contains(got.Reason, c.reason) {
			t.Errorf("%+v: %s because %q, %v", c, got.Chosen, got.Reason, err)
		}
	}
}

// TestMomentsOfGroups checks the limits of 2 GB for the moments by group, and of 256 MB for those of products.
func TestMomentsOfGroups(t *testing.T) {
	in := unread(10, 4, kind.Column{})
	targets(in, 4)
	unknown := *in.Environments
	unknown.Unknown = true
	for functions, want := range map[int]bool{8192: false, 8193: true} {
		if got := manyGroups(in, functions); got != want {
			t.Errorf("%d functions in four groups: too many is %v, want %v", functions, got, want)
		}
		if manyGroups(&method.Input{Moments: in.Moments, Environments: &unknown}, functions) {
			t.Errorf("%d functions: environments with unknown targets have one group", functions)
		}
	}
	for _, c := range []struct {
		s               basis.Settings
		columns, groups int
		want            bool
	}{
		{basis.Settings{}, 4096, 2, false}, // two groups of 4096² moments
		{basis.Settings{}, 4097, 2, true},
		{basis.Settings{Curves: 3}, 1024, 2, false},
		{basis.Settings{Curves: 3}, 1025, 2, true},
		{basis.Settings{Curves: 1, Crossed: 2}, 45, 2, false}, // 90 functions and 3960 products
		{basis.Settings{Curves: 1, Crossed: 2}, 46, 2, true},  // 92 functions and 4140 products
		{basis.Settings{Crossed: 1}, 75, 4, false},            // 75 functions and 2775 products: four groups of 2850² moments
		{basis.Settings{Crossed: 1}, 76, 4, true},
		{basis.Settings{}, 100_000, 1, false},
	} {
		if got := manyProducts(c.s, c.columns, c.groups); got != c.want {
			t.Errorf("%d columns in %d groups with %+v: too many is %v, want %v", c.columns, c.groups, c.s, got, c.want)
		}
	}
}

// TestFlexibleReplacesMixed checks the conditions under which auto chooses the flexible model of a table with categories and a curved
// effect: enough rows, a sample, and no environments.
func TestFlexibleReplacesMixed(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	const n = 400
	x := matrix.New[float64](n, 3)
	for i := range n {
		a := rng.NormFloat64()
		x.Set(i, 0, a)
		x.Set(i, 1, 3*math.Sin(2*a)+rng.NormFloat64())
		x.Set(i, 2, float64(rng.IntN(2)))
	}
	kinds := []kind.Kind{kind.Continuous, kind.Continuous, kind.Binary}
	s := Default()
	for name, c := range map[string]struct {
		change func(*method.Input)
		want   Model
	}{
		"as it is":     {func(*method.Input) {}, Flexible},
		"six rows":     {func(in *method.Input) { in.Moments.N = 6 }, Flexible},
		"five rows":    {func(in *method.Input) { in.Moments.N = 5 }, Mixed},
		"no sample":    {func(in *method.Input) { in.Sample = nil }, Mixed},
		"environments": {func(in *method.Input) { targets(in, 1) }, Mixed},
	} {
		in := table(t, x, kinds, nil)
		c.change(in)
		got, err := s.Choose(t.Context(), in)
		if err != nil || Model(got.Chosen) != c.want || !strings.HasPrefix(got.Reason, "1 column of 3 has categories; the others are numeric") {
			t.Errorf("%s: %s because %q, %v, want %s", name, got.Chosen, got.Reason, err, c.want)
		}
	}
	mixed := Fixed(Mixed)
	if got, err := mixed.Choose(t.Context(), table(t, x, kinds, nil)); err != nil || Model(got.Chosen) != Mixed {
		t.Errorf("a requested model is not kept: %+v, %v", got, err)
	}
	// Numbers that are codes count as categories too.
	for i := range n {
		x.Set(i, 2, float64(i%4))
		x.Set(i, 1, []float64{0, 4, 1, 5}[i%4]+rng.NormFloat64())
	}
	kinds[2] = kind.Ordinal
	if got, err := s.Choose(t.Context(), table(t, x, kinds, nil)); err != nil || !strings.HasPrefix(got.Reason, "1 column of 3 has categories, 1 of them numeric codes") {
		t.Errorf("a column of codes: %+v, %v", got, err)
	}
}

// TestBinaryColumnsAsNumbers checks that columns with two values are numbers if the moments by group take too much memory, unless
// another column is nominal.
func TestBinaryColumnsAsNumbers(t *testing.T) {
	s := Default()
	const d = 646 // 645² · 645 < 256·2²⁰ < 646² · 646
	for _, c := range []struct {
		groups  int
		nominal bool
		want    Model
	}{{d, false, Linear}, {d - 5, false, Mixed}, {d, true, Mixed}} {
		in := unread(5000, d, kind.Column{Kind: kind.Continuous})
		in.Kinds[3].Kind = kind.Binary
		if c.nominal {
			in.Kinds[4].Kind = kind.Categorical
		}
		targets(in, c.groups)
		if got, _ := s.byKinds(in); Model(got.Chosen) != c.want {
			t.Errorf("%+v: %s because %s", c, got.Chosen, got.Reason)
		}
	}
}

// TestHalfOfTheColumnsAreOrdered checks the conditions for linear effects of ordered categories: at least half of the columns have an order and
// more than two categories, none is nominal, and there are no environments.
func TestHalfOfTheColumnsAreOrdered(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 4))
	const n, d = 500, 4
	x := matrix.New[float64](n, d)
	for i := range n {
		a := rng.IntN(5)
		x.Set(i, 0, float64(a))
		x.Set(i, 1, float64(min(4, max(0, a+rng.IntN(3)-1))))
		x.Set(i, 2, float64(rng.IntN(2)))
		x.Set(i, 3, float64(rng.IntN(2)))
	}
	o, b := kind.Ordinal, kind.Binary
	for _, c := range []struct {
		name  string
		kinds []kind.Kind
		few   int // levels of the second column, if not 0
		env   bool
		want  Model
	}{
		{"half", []kind.Kind{o, o, b, b}, 0, false, Mixed},
		{"half with environments", []kind.Kind{o, o, b, b}, 0, true, Discrete},
		{"one with three categories", []kind.Kind{o, o, b, b}, 3, false, Mixed},
		{"one with two categories", []kind.Kind{o, o, b, b}, 2, false, Discrete},
		{"fewer than half", []kind.Kind{o, b, b, b}, 0, false, Discrete},
		{"one is nominal", []kind.Kind{o, o, o, kind.Categorical}, 0, false, Discrete},
	} {
		in := table(t, x, c.kinds, nil)
		if c.few > 0 {
			in.Kinds[1].Levels = c.few
		}
		if c.env {
			targets(in, 1)
		}
		if got, reason := discreteModel(in); got != c.want {
			t.Errorf("%s: %s because %s, want %s", c.name, got, reason, c.want)
		}
	}
	if got, _ := discreteModel(&method.Input{Kinds: make([]kind.Column, 2)}); got != Discrete {
		t.Errorf("without a sample: %s, want %s", got, Discrete)
	}
}

// TestRowBytes compares the estimates of memory with their sums: 8 bytes per kept value, 7 per counted value with 1000 for cached counts,
// and three matrices of the functions of curves.
func TestRowBytes(t *testing.T) {
	const kept, curves = 8 * 10_000, 3 * 80 * 80 * 8
	levels := int64(7*10_000 + min(counts.JointBytes, 1000*10_000))
	for _, c := range []struct {
		model         Model
		rows, columns int
		all, numeric  int64
	}{
		{Linear, 1000, 10, 0, 0},
		{Discrete, 1000, 10, kept + levels, kept + levels},
		{Mixed, 1000, 10, kept + levels, kept + levels},
		{Mixed, 10, 1000, kept + levels, kept + levels}, // without the functions of curves
		{Smooth, 1000, 10, kept + curves, kept + curves},
		{Flexible, 1000, 10, kept + curves, kept + curves},
		{AutoModel, 1000, 10, kept + levels, kept + curves},
		{AutoModel, 10, 1000, kept + 3*4000*4000*8, kept + 3*4000*4000*8},
		{AutoModel, 10, 1001, 8*10010 + 7*10010 + min(counts.JointBytes, 1000*10010), 8 * 10010},
		{Discrete, 10_000_000, 10, 8<<22 + 7*100_000_000 + counts.JointBytes, 8<<22 + 7*100_000_000 + counts.JointBytes},
		{Discrete, 1_000_000_000, 10, 8<<22 + 7<<29 + counts.JointBytes, 8<<22 + 7<<29 + counts.JointBytes},
	} {
		s := Fixed(c.model)
		if got := s.RowBytes(c.rows, c.columns); got != c.all {
			t.Errorf("%s, %d × %d: %d bytes, want %d", c.model, c.rows, c.columns, got, c.all)
		}
		if got := s.NumericRowBytes(c.rows, c.columns); got != c.numeric {
			t.Errorf("%s, %d × %d without categories: %d bytes, want %d", c.model, c.rows, c.columns, got, c.numeric)
		}
		if got, want := s.Bytes(c.rows, c.columns), c.all+int64(3*8*c.columns*c.columns); got != want {
			t.Errorf("%s, %d × %d: %d bytes in all, want %d", c.model, c.rows, c.columns, got, want)
		}
	}
}

// TestSettingsOfTheDiscreteScore checks which settings of the input and of the user reach the score of probability tables.
func TestSettingsOfTheDiscreteScore(t *testing.T) {
	s := Default()
	s.Ess = 3
	none := unread(10, 2, kind.Column{})
	with := unread(10, 2, kind.Column{})
	targets(with, 1)
	without := unread(10, 2, kind.Column{})
	targets(without, 1)
	without.Environments.Targets[0] = nil
	for _, in := range []*method.Input{none, with, without} {
		in.Drawn = true
		want := in == with
		if got := s.AdaptsEss(in); got != want || (s.discrete(in).Ess == 3) == want {
			t.Errorf("targets %v: the equivalent sample size adapts: %v, and is %v", want, got, s.discrete(in).Ess)
		}
		if got := s.discrete(in).Drawn; got != (in == none) {
			t.Errorf("targets %v: corrected for a bootstrap sample: %v", want, got)
		}
	}
	bic := s
	bic.Criterion = BIC
	fixed := s
	fixed.AdaptEss = false
	if bic.AdaptsEss(with) || fixed.AdaptsEss(with) {
		t.Error("the equivalent sample size adapts only if it is asked for, and under BDeu")
	}
}
