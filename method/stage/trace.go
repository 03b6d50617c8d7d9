package stage

import (
	"math"
	"slices"
)

// tracePoints is the number of points kept per stage: as many as a chart can show.
const tracePoints = 300

// Trace is the progress of one stage: entry i of each list belongs to Step[i]. At most a few hundred points are kept.
type Trace struct {
	Stage string    `json:"stage"`
	Step  []int     `json:"step"`
	Score []float64 `json:"score"`
	H     []float64 `json:"h,omitempty"`     // only for a continuous stage
	Rho   []float64 `json:"rho,omitempty"`   // weight of h, only for a continuous stage
	Edges []int     `json:"edges,omitempty"` // only for a search
}

// recorder records the traces of a run. It is saved, hence the exported fields.
type recorder struct{ Courses []course }

// course is one stage: its points number 0, Stride, 2·Stride, …, and the newest. Stride is a power of two that doubles when there
// are too many points, so the kept points depend only on the length of the stage.
type course struct {
	Stage  string
	Kind   Kind
	Count  int // number of points seen
	Stride int
	Points []tracePoint
	Last   tracePoint
}

type tracePoint struct {
	Step, Edges   int
	Score, H, Rho float64
}

// add records a point. It replaces the previous point if the step is the same, and ignores points that are not finite.
func (r *recorder) add(stage string, progress Progress) {
	p := tracePoint{Step: progress.Step, Edges: progress.Edges, Score: progress.Score, H: progress.H, Rho: progress.Rho}
	if r == nil || !finite(p.Score, p.H, p.Rho) {
		return
	}
	if n := len(r.Courses); n == 0 || r.Courses[n-1].Stage != stage {
		r.Courses = append(r.Courses, course{Stage: stage, Kind: progress.Kind, Stride: 1})
	}
	c := &r.Courses[len(r.Courses)-1]
	if c.Count > 0 && c.Last.Step == p.Step {
		c.Last = p
		if last := len(c.Points) - 1; c.Points[last].Step == p.Step {
			c.Points[last] = p
		}
		return
	}
	c.Last = p
	if c.Count%c.Stride == 0 {
		c.Points = append(c.Points, p)
	}
	c.Count++
	if len(c.Points) > tracePoints {
		for i := 0; 2*i < len(c.Points); i++ {
			c.Points[i] = c.Points[2*i]
		}
		c.Points = c.Points[:(len(c.Points)+1)/2]
		c.Stride *= 2
	}
}

// traces returns the points of each stage, in the order of the stages.
func (r *recorder) traces() []Trace {
	var out []Trace
	for _, c := range r.Courses {
		points := c.Points
		if points[len(points)-1].Step != c.Last.Step {
			points = append(slices.Clip(points), c.Last)
		}
		t := Trace{Stage: c.Stage}
		for _, p := range points {
			t.Step = append(t.Step, p.Step)
			t.Score = append(t.Score, p.Score)
			if c.Kind == Search {
				t.Edges = append(t.Edges, p.Edges)
			} else {
				t.H = append(t.H, p.H)
				t.Rho = append(t.Rho, p.Rho)
			}
		}
		out = append(out, t)
	}
	return out
}

func finite(vs ...float64) bool {
	return !slices.ContainsFunc(vs, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
}
