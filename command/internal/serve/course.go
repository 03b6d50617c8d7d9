package serve

import "github.com/polydag/polydag"

// mostPoints is the largest number of points of a course.
const mostPoints = 160

// A Course is h or the score of a stage over its steps, in at most mostPoints points. When there are too many,
// every second point is removed and the sampling rate is halved.
type Course struct {
	Of    string    `json:"of"` // h or score
	Step  []int     `json:"step"`
	Value []float64 `json:"value"`

	stage       string
	every, seen int
}

// valid reports whether a course from a file can be drawn.
func (c *Course) valid() bool {
	return (c.Of == "h" || c.Of == "score") && len(c.Step) == len(c.Value) && len(c.Step) > 0 && len(c.Step) <= mostPoints
}

// Add records a step; a new stage starts a new course. Searches over graphs count edges and have no h.
func (c *Course) Add(p polydag.Progress) {
	of, value := "h", p.H
	if p.Edges > 0 || p.H == 0 {
		of, value = "score", p.Score
	}
	if of != c.Of || p.Stage != c.stage {
		*c = Course{Of: of, stage: p.Stage, every: 1}
	}
	c.seen++
	if c.seen%c.every != 0 {
		return
	}
	c.Step, c.Value = append(c.Step, p.Step), append(c.Value, value)
	if len(c.Step) < mostPoints {
		return
	}
	c.every *= 2
	for k := 0; 2*k+1 < len(c.Step); k++ {
		c.Step[k], c.Value[k] = c.Step[2*k+1], c.Value[2*k+1]
	}
	c.Step, c.Value = c.Step[:len(c.Step)/2], c.Value[:len(c.Value)/2]
}
