package linear_test

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/dagma"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/metric"
	"github.com/polydag/polydag/sim"
	"strings"
)

func TestTmp(t *testing.T) {
	if os.Getenv("TMPD") == "" {
		t.Skip()
	}
	d, _ := strconv.Atoi(os.Getenv("TMPD"))
	seeds, _ := strconv.Atoi(os.Getenv("TMPS"))
	var all []method.Method
	all = append(all, dagma.New())
	all = append(all, extra()...)
	for seed := range uint64(seeds) {
		c := sim.Default()
		c.Nodes, c.Seed = d, seed+1
		c.Standardize = os.Getenv("TMPSTD") != ""
		mo, _ := sim.New(c)
		x := mo.Sample(sim.Stream(seed+1, sim.StreamNoise), 1000)
		mom, _ := dataset.FromRows(mo.Names(), x, 1)
		for _, m := range all {
			if n := os.Getenv("TMPM"); n != "" && !strings.Contains(n+",", m.Info().Name+",") {
				continue
			}
			set := param.Of(m)
			for _, kv := range strings.Fields(os.Getenv("TMPSET")) {
				k, v, _ := strings.Cut(kv, "=")
				if set.Lookup(k) != nil {
					if err := set.Set(k, v); err != nil {
						t.Fatal(err)
					}
				}
			}
			cfg := polydag.DefaultConfig()
			cfg.Method, cfg.CheckScale = m, polydag.CheckScaleNever
			cpu := usage()
			start := time.Now()
			res, err := polydag.Learn(context.Background(), mom, cfg, nil)
			if err != nil {
				t.Fatal(err)
			}
			mm := metric.Compare(mo.Graph(), res.Graph)
			fmt.Println(m.Info().Name, d, seed, res.Status, "steps", res.Continuous.Steps, "h", res.Continuous.H, "cut", len(res.Continuous.Cut), "F1", mm.F1, "SHD", mm.SHD, "cpu", usage()-cpu, "wall", time.Since(start).Seconds(), err)
		}
	}
}

func usage() float64 {
	var r syscall.Rusage
	syscall.Getrusage(0, &r)
	return float64(r.Utime.Sec) + float64(r.Utime.Usec)/1e6
}
