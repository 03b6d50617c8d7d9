package confidence

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/splitmix"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
)

// likeness simulates tables like a given one: the same number of rows, column kinds, fitted effects and noise, but with a known
// graph.
type likeness struct {
	table        *polydag.Table
	linear       bool      // linear effects
	n, d         int       // rows and columns
	x            []float64 // the rows of the table
	environments []int     // environment of each row, nil for a single environment
	scale        []float64 // standard deviation of each numeric column, 0 for a categorical one
}

// ErrCalibrate is matched if no tables like the given one can be simulated.
var ErrCalibrate = fault.Kind("no-recalibration", "recalibration needs a DAG, independent rows and known intervention targets to simulate from; omit calibrate")

// newLikeness reads the rows of a table, at most mostBytes.
func newLikeness(ctx context.Context, table *polydag.Table, full *polydag.Result, mostBytes int64) (*likeness, error) {
	refuse := func(format string, args ...any) (*likeness, error) {
		return nil, fault.New(ErrCalibrate, fmt.Sprintf(format, args...), "omit %s", fault.Use("calibrate"))
	}
	n, d := table.Moments.N, table.Moments.Dim()
	switch {
	case full.Kind != graph.KindDAG && full.Kind != graph.KindCPDAG:
		return refuse("a table cannot be simulated from a graph of the kind %s", full.Kind)
	case table.Environments != nil && table.Environments.Unknown:
		return refuse("it is not known what the environments of column %s change, so none can be simulated", table.Environments.Column)
	case table.Incomplete():
		return refuse("values are missing or rows have weights, and such tables are not simulated")
	case table.Source.Groups != nil:
		return refuse("how rows of one group of %s depend on each other is not known, so none can be simulated", table.Source.Groups.Column)
	case 8*int64(n)*int64(d) > mostBytes:
		return refuse("%d rows of %d columns take more than %d MiB, which simulated tables are kept in", n, d, mostBytes>>20)
	}
	return readLikeness(ctx, table, full.Model, table.EachRow)
}

// readLikeness is newLikeness for a table with these rows that can be simulated under a model.
func readLikeness(ctx context.Context, table *polydag.Table, model score.Effects, rows dataset.Rows) (*likeness, error) {
	l := &likeness{table: table, linear: model == score.LinearEffects || model == "", n: table.Moments.N, d: table.Moments.Dim()}
	all, err := rows.Read(ctx, l.n*l.d)
	if err != nil {
		return nil, err
	}
	l.x, l.environments = all.Values, all.Environments
	for j := range l.d {
		sum, squares := 0.0, 0.0
		for i := range l.n {
			sum += l.x[i*l.d+j]
		}
		for i := range l.n {
			squares += (l.x[i*l.d+j] - sum/float64(l.n)) * (l.x[i*l.d+j] - sum/float64(l.n))
		}
		l.scale = append(l.scale, math.Sqrt(squares/float64(l.n)))
		if model != score.SmoothEffects && (model == score.TableEffects || table.Kinds != nil && table.Kinds[j].Kind.Discrete()) {
			l.scale[j] = 0
		}
	}
	return l, nil
}

// set reports whether column v was intervened on in row i.
func (l *likeness) set(v, i int) bool {
	if l.environments == nil {
		return false
	}
	_, is := slices.BinarySearch(l.table.Environments.Targets[l.environments[i]], v)
	return is
}

// simulate draws a table from graph g with effects fitted to the table. It also returns the graph that was used: g without edges
// whose effect is at most its standard error. Intervened columns keep their value in the table.
func (l *likeness) simulate(ctx context.Context, g *graph.Graph, rng *rand.Rand) (*polydag.Table, *graph.Graph, error) {
	order, err := g.Order()
	if err != nil {
		return nil, nil, err
	}
	truth := g.Clone()
	out := slices.Clone(l.x)
	for _, v := range order {
		parents := g.Parents(v)
		var donors []int
		for i := range l.n {
			if !l.set(v, i) {
				donors = append(donors, i)
			}
		}
		if len(donors) == 0 {
			continue
		}
		var draw func(row []float64) float64
		if l.linear {
			weights, noise := l.line(v, parents, donors)
			for k, p := range parents {
				if weights[k] == 0 {
					truth.RemoveEdge(p, v)
				}
			}
			draw = func(row []float64) float64 {
				y := noise[rng.IntN(len(noise))]
				for k, p := range parents {
					y += weights[k] * row[p]
				}
				return y
			}
		} else {
			near := l.neighbours(parents, donors)
			draw = func(row []float64) float64 {
				from := near(row)
				return l.x[from[rng.IntN(len(from))]*l.d+v]
			}
		}
		for i := range l.n {
			if i%256 == 0 && ctx.Err() != nil {
				return nil, nil, context.Cause(ctx)
			}
			if !l.set(v, i) {
				out[i*l.d+v] = draw(out[i*l.d : (i+1)*l.d])
			}
		}
	}
	table, err := l.table.Like(ctx, dataset.RowBatch{Values: out, Environments: l.environments})
	return table, truth, err
}

// line fits column v to its parents by least squares on the given rows. A weight b with standard error s is shrunk to b·max(0, 1 -
// s²/b²), because parents were selected for large weights and b² is too large by s² in expectation. noise has the residuals, scaled
// for the degrees of freedom, plus the intercept.
func (l *likeness) line(v int, parents, rows []int) (weights, noise []float64) {
	p, n := len(parents), float64(len(rows))
	mean := func(j int) float64 {
		sum := 0.0
		for _, i := range rows {
			sum += l.x[i*l.d+j]
		}
		return sum / n
	}
	centre := mean(v)
	centres := make([]float64, p)
	for k, j := range parents {
		centres[k] = mean(j)
	}
	weights = make([]float64, p)
	inverse := matrix.New[float64](p, p)
	if p > 0 {
		gram, with := matrix.New[float64](p, p), make([]float64, p)
		for _, i := range rows {
			row := l.x[i*l.d : (i+1)*l.d]
			for k, j := range parents {
				a := row[j] - centres[k]
				with[k] += a * (row[v] - centre)
				for m, q := range parents {
					gram.Set(k, m, gram.At(k, m)+a*(row[q]-centres[m]))
				}
			}
		}
		for k := range p { // so that collinear parents share the effect
			gram.Set(k, k, gram.At(k, k)*(1+1e-9)+math.SmallestNonzeroFloat64)
		}
		var lu matrix.LU[float64]
		if lu.Factor(gram) == nil {
			lu.Inverse(inverse)
		}
		for k := range p {
			for m := range p {
				weights[k] += inverse.At(k, m) * with[m]
			}
		}
	}
	squares := 0.0
	for _, i := range rows {
		row := l.x[i*l.d : (i+1)*l.d]
		e := row[v] - centre
		for k, j := range parents {
			e -= weights[k] * (row[j] - centres[k])
		}
		noise = append(noise, e)
		squares += e * e
	}
	left := max(1, n-float64(p)-1)
	constant, stretch := centre, math.Sqrt(n/left)
	for k := range weights {
		if b2, s2 := weights[k]*weights[k], squares/left*inverse.At(k, k); b2 > s2 {
			weights[k] *= 1 - s2/b2
		} else {
			weights[k] = 0
		}
		constant -= weights[k] * centres[k]
	}
	for i := range noise {
		noise[i] = constant + stretch*noise[i]
	}
	return weights, noise
}

// mostDonors limits the rows that are searched for nearest neighbours.
const mostDonors = 1000

// neighbours returns a function that finds the rows of the table nearest to a simulated row in the parents: √n of them, and all
// ties. The distance is the sum of squared differences of standardized numbers, plus 1 for each differing category. With categories
// alone these are the rows of the same configuration, if there are enough. A value drawn from them has approximately the
// conditional distribution of the column given its parents.
func (l *likeness) neighbours(parents, donors []int) func(row []float64) []int {
	if len(parents) == 0 {
		return func([]float64) []int { return donors }
	}
	if step := (len(donors) + mostDonors - 1) / mostDonors; step > 1 {
		var some []int
		for k := 0; k < len(donors); k += step {
			some = append(some, donors[k])
		}
		donors = some
	}
	want := int(math.Ceil(math.Sqrt(float64(len(donors)))))
	type place struct {
		row int
		far float64
	}
	all := make([]place, len(donors))
	levels := !slices.ContainsFunc(parents, func(j int) bool { return l.scale[j] > 0 })
	known := map[string][]int{} // by the categories of the parents
	return func(row []float64) []int {
		key := ""
		if levels {
			for _, j := range parents {
				key += fmt.Sprint(row[j], " ")
			}
			if rows, ok := known[key]; ok {
				return rows
			}
		}
		for k, i := range donors {
			far := 0.0
			for _, j := range parents {
				switch diff := l.x[i*l.d+j] - row[j]; {
				case l.scale[j] > 0:
					far += diff * diff / (l.scale[j] * l.scale[j])
				case diff != 0:
					far++
				}
			}
			all[k] = place{i, far}
		}
		slices.SortFunc(all, func(a, b place) int { return cmp.Or(cmp.Compare(a.far, b.far), cmp.Compare(a.row, b.row)) })
		var rows []int
		for _, p := range all {
			if p.far > all[want-1].far {
				break
			}
			rows = append(rows, p.row)
		}
		if levels {
			known[key] = rows
		}
		return rows
	}
}

// SimulatedTable identifies a table that a recalibration simulates: by the graph, the effect model, a seed and a number. It is a
// plain value: any process with the original table simulates the same.
type SimulatedTable struct {
	Graph  []graph.Edge  `json:"graph"`
	Model  score.Effects `json:"model,omitempty"`
	Seed   uint64        `json:"seed"`
	Number int           `json:"number"`
}

// stream is the random source of the table.
func (s *SimulatedTable) stream() *rand.Rand {
	return splitmix.Stream(s.Seed, 1004+uint64(s.Number))
}

// Resampler simulates the table from the one of from, and draws bootstrap samples of it.
func (s *SimulatedTable) Resampler(ctx context.Context, from *polydag.Resampler) (*polydag.Resampler, error) {
	if s.Number < 0 {
		return nil, errors.New("a simulated table of a negative number")
	}
	g, err := graph.FromEdges(from.Table().Moments.Dim(), s.Graph)
	if err != nil {
		return nil, err
	}
	like, err := readLikeness(ctx, from.Table(), s.Model, from.EachRow)
	if err != nil {
		return nil, err
	}
	table, _, err := like.simulate(ctx, g, s.stream())
	if err != nil {
		return nil, err
	}
	return table.Resampler(ctx, math.MaxInt64)
}
