package resample

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/internal/splitmix"
	"github.com/polydag/polydag/matrix"
)

// The moments of a sample of blocks are those of the rows of the drawn blocks, each as often as its block was drawn.
func TestBlocksAgainstRepeatedRows(t *testing.T) {
	const n, d, count = 800, 3, 100
	rng := rand.New(rand.NewPCG(1, 2))
	values := make([]float64, n*d)
	for i := range values {
		values[i] = 1e3 + rng.NormFloat64()*float64(1+i%d)
	}
	rows := dataset.RowBatch{Values: values}.Rows(d)
	b := must.Get(NewBlocks(context.Background(), rows, []float64{1000, 1000, 1000}, count))
	centre, means := 0.0, 0.0
	for i := 0; i < len(values); i += d {
		centre += values[i] / n
	}
	const samples = 3000
	for r := range samples {
		draw := Draw{Kind: Bootstrap, Seed: 5, Replicate: r}
		got, mean, scatter := b.Moments(draw)
		means += (mean[0] - centre) * (mean[0] - centre) / samples
		if r >= 5 {
			continue
		}
		stream, times := draw.Start([]int{count}), make([]int, count)
		for k := range times {
			times[k] = stream.Next(0)
		}
		var repeated []float64
		for i := range n {
			for range times[splitmix.Mix(uint64(i))%count] {
				repeated = append(repeated, values[i*d:(i+1)*d]...)
			}
		}
		want := must.Get(dataset.MomentsOf([]string{"a", "b", "c"}, matrix.Of(len(repeated)/d, d, repeated), 1))
		if got != want.N {
			t.Fatalf("%d rows, want %d", got, want.N)
		}
		for i := range d {
			if math.Abs(mean[i]-want.Mean[i]) > 1e-9 {
				t.Errorf("mean %v, want %v", mean[i], want.Mean[i])
			}
			for j := range d {
				if math.Abs(scatter[i*d+j]-want.At(i, j)) > 1e-8*want.At(i, i) {
					t.Errorf("scatter %v, want %v", scatter[i*d+j], want.At(i, j))
				}
			}
		}
	}
	if share := means * n; share < 0.6 || share > 1.4 { // 100 blocks give the variance 1/n up to 14 %
		t.Errorf("the mean has %v times its variance", share)
	}
}

// A column that is constant in the drawn blocks has the scatter 0.
func TestConstantColumnOfBlocks(t *testing.T) {
	rows := dataset.RowBatch{Values: []float64{0.1, 1, 0.1, 2, 0.1, 3, 0.1, 5}}.Rows(2)
	b := must.Get(NewBlocks(context.Background(), rows, []float64{0.7, 0}, 1))
	if _, _, scatter := b.Moments(Draw{Kind: Bootstrap}); scatter[0] != 0 || scatter[3] <= 0 {
		t.Errorf("%v", scatter)
	}
}
