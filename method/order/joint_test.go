package order

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/internal/joint"
	"github.com/polydag/polydag/method/scores"
	"github.com/polydag/polydag/search"
)

// interacting returns the input of n rows of seven columns: the first is a function of columns 1 to 3 together, and the others are noisy
// copies of these causes.
func interacting(t *testing.T, n int) *method.Input {
	return table(t, n, 7, func(rng *rand.Rand, x []float64) {
		for j := 1; j <= 3; j++ {
			x[j] = rng.NormFloat64()
			x[3+j] = 5*x[j] + 5*rng.NormFloat64()
		}
		x[0] = 3*math.Tanh(x[1]+x[2]-x[3])*math.Cos(x[2]+x[3]) + 0.3*rng.NormFloat64()
	})
}

// TestJointly checks that a parent without effect on a function of all parents is dropped and recorded, unless it is required, the search was
// stopped, the context ended, or there are fewer than 1000 rows.
func TestJointly(t *testing.T) {
	most := interacting(t, joint.LeastRows)
	for _, c := range []struct {
		what     string
		rows     int
		parents  []int // the parents of column 0
		required [][2]int
		status   search.Status
		end      bool
		weight   float64 // the weight of a row; 0 stands for 1
		want     []int
	}{
		{"copies of causes", joint.LeastRows, []int{1, 2, 3, 4, 5, 6}, nil, search.Converged, false, 0, []int{1, 2, 3}},
		{"a required copy", joint.LeastRows, []int{1, 2, 3, 4, 5, 6}, [][2]int{{5, 0}, {6, 1}}, search.Converged, false, 0, []int{1, 2, 3, 5}},
		{"a stopped search", joint.LeastRows, []int{1, 2, 3, 4, 5, 6}, nil, search.Stopped, false, 0, []int{1, 2, 3, 4, 5, 6}},
		{"an ended context", joint.LeastRows, []int{1, 2, 3, 4, 5, 6}, nil, search.Converged, true, 0, []int{1, 2, 3, 4, 5, 6}},
		{"few rows", joint.LeastRows - 1, []int{1, 2, 3, 4, 5, 6}, nil, search.Converged, false, 0, []int{1, 2, 3, 4, 5, 6}},
		{"two parents", joint.LeastRows, []int{1, 5}, nil, search.Converged, false, 0, []int{1, 5}},
		{"rows that count little", joint.LeastRows, []int{1, 2, 3, 4, 5, 6}, nil, search.Converged, false, 1e-4, nil},
		{"only causes", joint.LeastRows, []int{1, 2, 3}, nil, search.Converged, false, 0, []int{1, 2, 3}},
	} {
		in := most
		if c.rows < joint.LeastRows {
			in = interacting(t, c.rows)
		}
		s := scores.Fixed(Smooth)
		at, err := s.Of(t.Context(), in, Smooth)
		must.Succeed(t, err)
		place := at.Place()
		parents := make([][]int, 7)
		for _, p := range c.parents {
			parents[place[0]] = append(parents[place[0]], place[p])
		}
		slices.Sort(parents[place[0]])
		for k := range c.required {
			c.required[k] = [2]int{place[c.required[k][0]], place[c.required[k][1]]}
		}
		found := &search.Result{Parents: parents, Edges: len(c.parents), Status: c.status}
		in.RowWeight = c.weight
		l := &searcher{Method: New(), in: in}
		ctx, cancel := context.WithCancel(t.Context())
		if c.end {
			cancel()
		}
		got, err := l.jointly(ctx, at, c.required, found, "test")
		cancel()
		in.RowWeight = 0
		must.Succeed(t, err)
		var kept []int
		for _, p := range got.Parents[place[0]] {
			kept = append(kept, at.Order[p])
		}
		slices.Sort(kept)
		if !slices.Equal(kept, c.want) || got.Edges != len(c.want) {
			t.Errorf("%s: parents %v, want %v", c.what, kept, c.want)
		}
		if c.end != (l.answer.Status == method.Canceled) {
			t.Errorf("%s: status %v", c.what, l.answer.Status)
		}
		dropped := len(c.parents) - len(c.want)
		choice := choiceOf(&l.answer, "interacting causes")
		if (choice != nil) != (dropped > 0) || choice != nil && (choice.Chosen != names.Count(dropped, "edge")+" removed" || !strings.Contains(choice.Reason, "1 column ")) {
			t.Errorf("%s: choice %+v, want %d removed", c.what, choice, dropped)
		}
	}
}

// TestRowsOfNetworks checks that the networks of interacting parents use all rows of a short table and the sample of a long one.
func TestRowsOfNetworks(t *testing.T) {
	in := interacting(t, 50)
	all := in.Sample.Values
	in.Sample = &dataset.Sample{Columns: 7, Values: all[:7*20], Environments: make([]int, 20)}
	l := &searcher{Method: New(), in: in}
	if rows, of, err := l.evenRows(t.Context(), 100); err != nil || !slices.Equal(rows, all) || of != nil {
		t.Errorf("%d rows with %d environments, %v, want the 50 rows of the table", len(rows)/7, len(of), err)
	}
	in.Moments.N = scores.KeptValues
	if rows, of, err := l.evenRows(t.Context(), 100); err != nil || !slices.Equal(rows, in.Sample.Values) || len(of) != 20 {
		t.Errorf("%d rows with %d environments, %v, want the 20 rows of the sample", len(rows)/7, len(of), err)
	}
}
