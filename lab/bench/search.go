package bench

import (
	"context"
	"runtime"
	"slices"
	"time"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/basis"
	"github.com/polydag/polydag/lab/internal/timing"
	"github.com/polydag/polydag/lab/sim"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/metric"
	"github.com/polydag/polydag/search"
)

// SearchReport is the order search timed over a range of sizes.
type SearchReport struct {
	Go    string       `json:"go"`
	Arch  string       `json:"arch"`
	CPUs  int          `json:"cpus"`
	CPU   string       `json:"cpu"`
	Rows  int          `json:"rows"`
	Sizes []SearchSize `json:"sizes"`
	// Exponent is the slope of log time against log d on one thread without restarts; 0 for fewer than two sizes.
	Exponent float64 `json:"exponent"`
}

// SearchSize has the median seconds of a search on standardized ER data with 2d edges, from the moments on.
type SearchSize struct {
	D              int     `json:"d"`
	Descent        float64 `json:"descent_seconds"`             // no restarts, one thread
	DescentTwo     float64 `json:"descent_two_threads_seconds"` // no restarts, two threads
	Full           float64 `json:"default_seconds"`             // default restarts, one thread
	FullTwo        float64 `json:"default_two_threads_seconds"` // default restarts, two threads
	DescentF1      float64 `json:"descent_f1"`                  // against the true graph
	F1             float64 `json:"default_f1"`
	SkeletonF1     float64 `json:"default_skeleton_f1"`
	Runs           int     `json:"runs"`
	CacheMegabytes float64 `json:"cache_megabytes"` // size of the node cache, default restarts
	// Look is the look for curves at all pairs of columns, which model auto begins with, on one thread; LookShare is its time over that
	// of the default search in the same round, median.
	Look      float64 `json:"look_seconds"`
	LookShare float64 `json:"look_share"`
}

// Search times the order search; progress may be nil.
func Search(ctx context.Context, nodes []int, progress func(d int, what string)) (*SearchReport, error) {
	const rows = 1000
	if progress == nil {
		progress = func(int, string) {}
	}
	r := &SearchReport{
		Go: runtime.Version(), Arch: runtime.GOARCH, CPUs: runtime.NumCPU(), CPU: timing.CPU(), Rows: rows,
	}
	for _, d := range nodes {
		progress(d, "drawing a sample")
		cfg := sim.Default()
		cfg.Nodes, cfg.Seed, cfg.Standardize = d, 1, true
		cfg.Degree = min(cfg.Degree, float64(d-1))
		model, err := sim.New(cfg)
		if err != nil {
			return nil, err
		}
		x := model.Sample(sim.Stream(cfg.Seed, sim.StreamNoise), rows)
		data, err := dataset.MomentsOf(model.Names(), x, runtime.NumCPU())
		if err != nil {
			return nil, err
		}
		size, err := timeSearch(ctx, d, x, data, model.Graph(), progress)
		if err != nil {
			return nil, err
		}
		r.Sizes = append(r.Sizes, size)
	}
	var x, y []float64
	for _, s := range r.Sizes {
		x, y = append(x, float64(s.D)), append(y, s.Descent)
	}
	_, r.Exponent, _ = timing.PowerLaw(x, y)
	return r, nil
}

// timeSearch runs the four variants and the look for curves in turns and takes medians: five runs each, three of those that take seconds, one of
// those that take longer.
func timeSearch(ctx context.Context, d int, x *matrix.Dense[float64], data *dataset.Moments, truth *graph.Graph, progress func(int, string)) (SearchSize, error) {
	p := search.Problem{R: data.Correlation(), N: data.N}
	s := search.DefaultSettings()
	variants := []struct {
		name              string
		restarts, threads int
	}{{"one descent", 0, 1}, {"one descent, two threads", 0, 2}, {"default rounds", s.Restarts, 1}, {"default rounds, two threads", s.Restarts, 2}}
	times := make([][]float64, len(variants))
	var looks, shares []float64
	out := SearchSize{D: d}
	for runs := 5; out.Runs < runs; out.Runs++ {
		for i, v := range variants {
			progress(d, v.name)
			s.Restarts, s.Threads = v.restarts, v.threads
			start := time.Now()
			res, err := search.Search(ctx, p, s, nil)
			if err != nil {
				return out, err
			}
			if err := ctx.Err(); err != nil {
				return out, err
			}
			seconds := time.Since(start).Seconds()
			times[i] = append(times[i], seconds)
			switch {
			case seconds > 10:
				runs = 1
			case seconds > 1:
				runs = min(runs, 3)
			}
			g := graph.FromParents(res.Parents)
			switch i {
			case 0:
				out.DescentF1 = metric.Directed(truth, g).F1()
			case 2:
				out.F1, out.SkeletonF1 = metric.Directed(truth, g).F1(), metric.Skeleton(truth, g).F1()
				out.CacheMegabytes = float64(res.Stats.CacheBytes) / 1e6
			}
		}
		progress(d, "the look for curves")
		start := time.Now()
		if _, err := basis.Pairs(ctx, x, 1); err != nil {
			return out, err
		}
		look := time.Since(start).Seconds()
		looks, shares = append(looks, look), append(shares, look/times[2][out.Runs])
	}
	slices.Sort(looks)
	slices.Sort(shares)
	out.Look, out.LookShare = looks[len(looks)/2], shares[len(shares)/2]
	for i, dst := range []*float64{&out.Descent, &out.DescentTwo, &out.Full, &out.FullTwo} {
		slices.Sort(times[i])
		*dst = times[i][len(times[i])/2]
	}
	return out, nil
}
