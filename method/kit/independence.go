package kit

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/polydag/polydag/independence"
)

// Independence reports every check that an independence test fails, on random queries drawn from seed: P is in [0, 1]; the
// statistic is finite and not negative; the result does not depend on the order of x and y or of the condition, or on earlier
// queries; the condition is neither changed nor kept; repeated and invalid columns give ErrArguments.
func Independence(t independence.Test, seed uint64) error {
	var l List
	d := t.Columns()
	if d < 3 {
		return fmt.Errorf("kit: a test on %d columns; bring one on at least 3", d)
	}
	rng := rand.New(rand.NewPCG(seed, 0x1de9))
	type question struct {
		x, y  int
		given []int
		first independence.Result
	}
	var asked []question
	for range 50 {
		p := rng.Perm(d)
		q := question{x: p[0], y: p[1], given: p[2 : 2+rng.IntN(min(3, d-2)+1)]}
		before := slices.Clone(q.given)
		r, err := t.Independent(q.x, q.y, q.given)
		if errors.Is(err, independence.ErrRows) {
			continue
		}
		if err != nil {
			l.Broken("answers", "columns %d and %d given %v: %w", q.x, q.y, q.given, err)
			continue
		}
		if !(r.P >= 0 && r.P <= 1) || !(r.Statistic >= 0) || r.Statistic-r.Statistic != 0 || !(r.DF >= 0) {
			l.Broken("range", "columns %d and %d given %v: %+v", q.x, q.y, q.given, r)
		}
		if !slices.Equal(before, q.given) {
			l.Broken("untouched", "the condition %v was changed to %v", before, q.given)
		}
		if turned, err := t.Independent(q.y, q.x, q.given); turned != r || err != nil {
			l.Broken("symmetry", "columns %d and %d given %v: %+v, the other way round %+v, %v", q.x, q.y, q.given, r, turned, err)
		}
		shuffled := slices.Clone(before)
		slices.Reverse(shuffled)
		if other, err := t.Independent(q.x, q.y, shuffled); other != r || err != nil {
			l.Broken("order", "columns %d and %d: %+v given %v and %+v given %v, %v", q.x, q.y, r, before, other, shuffled, err)
		}
		for i := range shuffled { // a test that kept the condition now sees another one
			shuffled[i] = -1
		}
		q.first = r
		asked = append(asked, q)
	}
	if len(asked) == 0 {
		l.Broken("answers", "no question was answered")
	}
	for _, q := range asked {
		if again, err := t.Independent(q.x, q.y, q.given); again != q.first || err != nil {
			l.Broken("repeatable", "columns %d and %d given %v: %+v at first and %+v later, %v", q.x, q.y, q.given, q.first, again, err)
		}
	}
	for _, q := range []question{
		{x: 0, y: 0}, {x: 0, y: d}, {x: -1, y: 0}, {x: 0, y: 1, given: []int{0}}, {x: 0, y: 1, given: []int{1}},
		{x: 0, y: 1, given: []int{2, 2}}, {x: 0, y: 1, given: []int{d}}, {x: 0, y: 1, given: []int{-1}},
	} {
		if _, err := t.Independent(q.x, q.y, q.given); !errors.Is(err, independence.ErrArguments) {
			l.Broken("arguments", "columns %d and %d given %v are no question, and the error is %v", q.x, q.y, q.given, err)
		}
	}
	return l.Verdict()
}

// Calibrated checks that the p-values of a test are uniform under independence. draw makes a table in which two columns are
// independent given the condition and tests them, 10,000 times. The Kolmogorov–Smirnov distance must be below its 0.1 % critical
// value, 1.95/√10000.
func Calibrated(draw func(rng *rand.Rand) (independence.Result, error), seed uint64) error {
	const draws = 10_000
	rng := rand.New(rand.NewPCG(seed, 0xca1))
	p := make([]float64, draws)
	for i := range p {
		r, err := draw(rng)
		if err != nil {
			return fmt.Errorf("calibrated: draw %d: %w", i+1, err)
		}
		p[i] = r.P
	}
	slices.Sort(p)
	worst, at := 0.0, 0.0
	for i, v := range p {
		if d := max(math.Abs(v-float64(i)/draws), math.Abs(v-float64(i+1)/draws)); d > worst {
			worst, at = d, v
		}
	}
	if limit := 1.95 / math.Sqrt(draws); worst > limit {
		return fmt.Errorf("calibrated: the p-values are %.4f from uniform at %.3f, more than %.4f", worst, at, limit)
	}
	return nil
}
