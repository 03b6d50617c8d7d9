package prepare

import (
	"context"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
)

// wholeSink counts what the sampler passes on.
type wholeSink struct{ values int }

func (s *wholeSink) add(rows []float64, _ bool) error {
	s.values += len(rows)
	for i := range rows {
		rows[i] = -1 // a sink may spoil its rows
	}
	return nil
}

func (s *wholeSink) finish() (*dataset.Moments, []string, error) { return nil, nil, nil }

// sampleOf takes n rows of two columns, (i, -i), in batches of random sizes.
func sampleOf(t *testing.T, n int, seed uint64) *dataset.Sample {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 1))
	to := &wholeSink{}
	s := newSampler(2, 2, to)
	for at := 0; at < n; {
		k := min(1+rng.IntN(700), n-at)
		rows := make([]float64, 0, 2*k)
		for i := at; i < at+k; i++ {
			rows = append(rows, float64(i), -float64(i))
		}
		must.Succeed(t, s.add(rows, true))
		at += k
	}
	if to.values != 2*n {
		t.Fatalf("%d of %d values were passed on", to.values, 2*n)
	}
	return &s.sample
}

// The sample is the rows whose block is a multiple of the stride, whatever the batches: its obvious twin.
func TestSample(t *testing.T) {
	for _, n := range []int{1, 15, 16, 17, 4095, 4096, 4097, 5000, 8192, 8193, 100_003} {
		stride := 1
		for n > stride*sampleRows {
			stride *= 2
		}
		want := dataset.Sample{Columns: 2}
		for i := range n {
			if i/sampleBlock%stride == 0 {
				want.Index, want.Values = append(want.Index, i), append(want.Values, float64(i), -float64(i))
			}
		}
		for seed := range uint64(3) {
			got := sampleOf(t, n, seed)
			if !reflect.DeepEqual(got.Index, want.Index) || !reflect.DeepEqual(got.Values, want.Values) {
				t.Fatalf("%d rows: a sample of %d rows from %v, want %d", n, got.Rows(), got.Index[:min(3, got.Rows())], want.Rows())
			}
		}
		if got := want.Rows(); n > sampleRows && (got < sampleRows/2 || got > sampleRows) || n <= sampleRows && got != n {
			t.Errorf("%d rows: a sample of %d", n, got)
		}
	}
	if s := newSampler(20_000, 20_000, nil); s.most != leastSample {
		t.Errorf("of 20,000 columns %d rows are kept, want %d", s.most, leastSample)
	}
}

// Gather hands out the rows that the moments saw: after logarithms and dropped rows.
func TestGatheredSample(t *testing.T) {
	table := memNumbers(matrix.Of(4, 2, []float64{1, 5, 2, 6, 3, 7, 4, 8}))
	table.rows[1][0] = nil
	opt := DefaultSettings()
	opt.Missing, opt.Log, opt.Threads = "drop", []string{table.columns[1].Name}, 1
	g, err := Gather(context.Background(), table.open, opt)
	if err != nil || g.Sample != nil {
		t.Fatalf("without a profile: %v, %v", g, err)
	}
	opt.Profile = true
	if g, err = Gather(context.Background(), table.open, opt); err != nil {
		t.Fatal(err)
	}
	if s := g.Sample; s.Rows() != 3 || s.Row(1)[0] != 3 || s.Row(1)[1] != 1.9459101490553132 {
		t.Errorf("sample %+v", s)
	}
}
