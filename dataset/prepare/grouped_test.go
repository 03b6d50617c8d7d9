package prepare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// Centred values are those of the obvious computation, their total is that of the rows, and neither the order of the rows nor the
// number of batches changes a bit.
func TestByGroup(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	text, by := families(rng, 40, [3]float64{0.2, 0.5, 0.9}, func(k int) string { return fmt.Sprint("w", k) })
	read := func(text string) *ByGroup {
		g := must.Get(grouped(t, text, nil))
		return must.Get(g.ByGroup(t.Context()))
	}
	b := read(text)
	if v := b.Varying(); !slices.Equal(v, []bool{true, true, true}) {
		t.Errorf("varying %v", v)
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	rng.Shuffle(len(lines)-1, func(i, j int) { lines[i+1], lines[j+1] = lines[j+1], lines[i+1] })
	other := read(strings.Join(lines, "\n") + "\n")
	means := read(text)
	b.Centre([]bool{true, true, false})
	other.Centre([]bool{true, true, false})
	if !reflect.DeepEqual(b.Rows, other.Rows) || !reflect.DeepEqual(b.Labels, other.Labels) {
		t.Error("the order of the rows changes the centred rows")
	}
	var want, got, wantMeans []float64
	for _, rows := range by {
		var mean [3]float64
		for _, x := range rows {
			for j := range mean {
				mean[j] += x[j] / float64(len(rows))
			}
		}
		wantMeans = append(wantMeans, mean[1])
		for _, x := range rows {
			want = append(want, x[1]-mean[1])
		}
	}
	all := 0.0
	for i := range b.Labels {
		all += b.Rows[3*i+1] / float64(len(b.Labels))
	}
	for i := range b.Labels {
		got = append(got, b.Rows[3*i+1]-all)
	}
	means.Means()
	var gotMeans []float64
	for i := 0; i < len(means.Rows); i += 3 {
		gotMeans = append(gotMeans, means.Rows[i+1])
	}
	near := func(what string, got, want []float64) {
		slices.Sort(got)
		slices.Sort(want)
		if len(got) != len(want) {
			t.Fatalf("%s: %d values, want %d", what, len(got), len(want))
		}
		for i := range got {
			if math.Abs(got[i]-want[i]) > 1e-8 {
				t.Fatalf("%s: %v, want %v", what, got[i], want[i])
			}
		}
	}
	near("centred", got, want)
	near("means", gotMeans, wantMeans)
	c := must.Get(b.Groups(2))
	if c.Count != 40 || c.EffectiveRows > c.Rows-40 || c.Alike[0].Column != "c" || c.Alike[1].Rho > 1e-6 {
		t.Errorf("%+v", c)
	}
}
