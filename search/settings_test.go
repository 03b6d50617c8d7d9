package search

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/matrix"
)

// TestValidate checks that every fault is named, and all at once.
func TestValidate(t *testing.T) {
	good := func() (Problem, Settings) {
		sm := randomSample(4, 3, 50, 1, 1)
		return sm.problem(), DefaultSettings()
	}
	for _, c := range []struct {
		name  string
		spoil func(p *Problem, s *Settings)
		want  []string
	}{
		{"settings", func(_ *Problem, s *Settings) {
			*s = Settings{Variance: 7, Factor: math.NaN(), Gamma: -1, Charge: math.Inf(1), Path: 0.5, Restarts: -2, Exact: 17, MaxParents: -1}
		}, []string{"Variance(7)", "Factor = NaN", "Gamma = -1", "Charge = +Inf", "Path = 0.5", "Restarts = -2", "Exact = 17", "MaxParents = -1", "CacheBytes = 0", "Threads = 0"}},
		{"free edges", func(_ *Problem, s *Settings) { s.Factor, s.Gamma = 0, 0 }, []string{"edges would be free"}},
		{"no R", func(p *Problem, _ *Settings) { p.R, p.N = nil, 2 }, []string{"R is nil", "N = 2"}},
		{"shape", func(p *Problem, _ *Settings) { p.R = matrix.New[float64](3, 4) }, []string{"3×4"}},
		{"covariance", func(p *Problem, _ *Settings) { p.R.Set(2, 2, 4) }, []string{"R[2][2] = 4", "correlation matrix"}},
		{"NaN", func(p *Problem, _ *Settings) { p.R.Set(3, 1, math.NaN()) }, []string{"R[3][1] = NaN"}},
		{"asymmetric", func(p *Problem, _ *Settings) { p.R.Set(3, 1, p.R.At(1, 3)+0.1) }, []string{"not symmetric"}},
		{"scale", func(p *Problem, s *Settings) { p.Scale[1] = 0 }, []string{"Scale[1] = 0"}},
		{"short scale", func(p *Problem, s *Settings) { p.Scale = p.Scale[:2] }, []string{"2 values for 4 variables"}},
		{"no scale", func(p *Problem, s *Settings) { p.Scale, s.Variance = nil, Equal }, []string{"needs Problem.Scale"}},
		{"knowledge", func(p *Problem, _ *Settings) {
			p.Knowledge = Knowledge{
				Required:  [][2]int{{0, 1}, {1, 2}, {2, 0}, {3, 2}},
				Forbidden: func(i, j int) bool { return i == 1 && j == 2 },
				Tiers:     []int{0, 0, 0, 1},
			}
		}, []string{"1 → 2 is also forbidden", "cycle", "3 → 2 leads from tier 1 down to tier 0"}},
		{"range", func(p *Problem, _ *Settings) {
			p.Knowledge = Knowledge{Required: [][2]int{{0, 4}, {-1, 1}, {2, 2}}, Tiers: []int{1}}
		}, []string{"0 → 4", "-1 → 1", "2 → 2", "Tiers has 1 values"}},
		{"too many required", func(p *Problem, s *Settings) {
			p.Knowledge.Required = [][2]int{{0, 3}, {1, 3}, {2, 3}}
			s.MaxParents = 2
		}, []string{"variable 3 has 3 required parents, but at most 2"}},
		{"starts", func(p *Problem, s *Settings) {
			p.Knowledge = Knowledge{Required: [][2]int{{0, 1}}, Tiers: []int{0, 0, 1, 1}}
			s.Starts = [][]int{{0, 1, 2}, {0, 1, 1, 2}, {1, 0, 2, 3}, {0, 2, 1, 3}, {0, 1, 3, 2}}
		}, []string{"Starts[0]: 3 entries", "Starts[1]: entry 2 = 1", "Starts[2]: 1 stands before 0", "Starts[3]: 2 (tier 1) stands before 1 (tier 0)"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, s := good()
			c.spoil(&p, &s)
			_, err := Search(context.Background(), p, s, nil)
			if err == nil {
				t.Fatal("Search accepted it")
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error does not say %q:\n%v", want, err)
				}
			}
			if strings.Contains(err.Error(), "Starts[4]") {
				t.Errorf("a sound start was refused:\n%v", err)
			}
			for _, line := range strings.Split(err.Error(), "\n") {
				if strings.HasPrefix(line, "search: ") {
					t.Errorf("error %q names the package, which says nothing to a user", line)
				}
			}
		})
	}
}

func TestStrings(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Unequal.String(), "unequal"}, {Equal.String(), "equal"}, {Variance(9).String(), "Variance(9)"},
		{Converged.String(), "converged"}, {Stopped.String(), "stopped"}, {Optimal.String(), "optimal"}, {Status(9).String(), "Status(9)"},
		{Start.String(), "start"}, {Path.String(), "path"}, {Descent.String(), "descent"}, {Round.String(), "round"}, {Stage(9).String(), "Stage(9)"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

// TestCorrelationInEveryTile spoils one entry at a time of a matrix that is checked in several tiles.
func TestCorrelationInEveryTile(t *testing.T) {
	r, _ := correlate(gaussian(130, 20, 1))
	if errs := checkCorrelation(r); errs != nil {
		t.Fatal(errs)
	}
	for _, at := range [][2]int{{1, 0}, {63, 62}, {64, 0}, {64, 63}, {65, 64}, {127, 64}, {128, 0}, {129, 64}, {129, 128}} {
		i, j := at[0], at[1]
		was := r.At(i, j)
		for value, want := range map[float64]string{1.5: "want a correlation in [-1, 1]", was / 2: "R is not symmetric"} {
			r.Set(i, j, value)
			errs := checkCorrelation(r)
			if len(errs) != 1 || !slices.Contains([]string{
				fmt.Sprintf("entry R[%d][%d] = %v, %s", i, j, value, want),
				fmt.Sprintf("entry R[%d][%d] = %v but R[%d][%d] = %v: %s", i, j, value, j, i, r.At(j, i), want),
			}, errs[0].Error()) {
				t.Errorf("R[%d][%d] = %v: %v", i, j, value, errs)
			}
		}
		r.Set(i, j, was)
	}
}
