package sam

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"syscall"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/metric"
	"github.com/polydag/polydag/sim"
)

func cpu() float64 {
	var r syscall.Rusage
	syscall.Getrusage(0, &r)
	return float64(r.Utime.Sec) + float64(r.Utime.Usec)/1e6
}

func TestTune(t *testing.T) {
	spec := os.Getenv("TUNE")
	if spec == "" {
		t.Skip()
	}
	n := 3
	fmt.Sscan(os.Getenv("TABLES"), &n)
	for _, one := range strings.Split(spec, ",") {
		for _, kind := range strings.Split(os.Getenv("KINDS"), ",") {
			var edges, all, miss, extra, rev int
			k, e, _ := strings.Cut(kind, ":")
			fmt.Sscan(e, &edges)
			line := ""
			start := cpu()
			for s := range n {
				seed := uint64(1000 + s); if os.Getenv("FIRST") != "" { fmt.Sscan(os.Getenv("FIRST"), &seed); seed += uint64(s) }
				c := sim.Default()
				c.Nodes, c.Edges, c.Seed = 10, edges, seed
				if k == "curves" {
					c.Mechanism = sim.Additive
				}
				mod, _ := sim.New(c)
				x := mod.Sample(sim.Stream(seed, sim.StreamNoise), 1000)
				data, _ := dataset.FromRows(mod.Names(), x, 1)
				in := &method.Input{Moments: data, Seed: 1, Threads: 1, GraphOnly: true, Rows: func(_ context.Context, each func([]float64) error) error { return each(x.Data) }}
				m := New()
				set := param.Of(m)
				for _, w := range strings.Split(one, ":") {
					if a, b, ok := strings.Cut(w, "="); ok {
						if err := set.Set(a, b); err != nil {
							t.Fatal(err)
						}
					}
				}
				a, err := m.Learn(t.Context(), in, nil)
				if err != nil {
					line += err.Error()
					continue
				}
				h := metric.SHD(mod.Graph(), a.Graph.Directed())
				miss, extra, rev, all = miss+h.Missing, extra+h.Extra, rev+h.Reversed, all+h.Distance()
				line += fmt.Sprintf(" %d", h.Distance())
			}
			f := float64(n)
			fmt.Printf("%-12s %-60s SHD %.1f miss %.1f extra %.1f rev %.1f cpu %.1f |%s\n", kind, one, float64(all)/f, float64(miss)/f, float64(extra)/f, float64(rev)/f, (cpu()-start)/f, line)
		}
	}
}
