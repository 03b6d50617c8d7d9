package heldout

import (
	"fmt"
	"strings"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/trust"
)

// PathSchema names the layout of Path in JSON. It changes when a field changes its meaning or goes.
const PathSchema = "polydag.path/1"

// A Path is what becomes of the graph of a table along prices of an edge.
type Path struct {
	Schema string        `json:"schema"`
	Status method.Status `json:"status"`
	Cause  string        `json:"cause,omitempty"` // why it ended early

	Table   polydag.Provenance `json:"table"`
	Program polydag.Program    `json:"program"`
	Rows    int                `json:"rows"`
	Columns int                `json:"columns"`
	// Model is what effects are taken to be at every price, and Setting what the price is a setting of.
	Model   score.Effects `json:"model"`
	Setting string        `json:"setting"`
	Seed    uint64        `json:"seed"`
	// Splits are those that were held out, Asked how many there were to be; Failed lists halves that could not be learned from.
	Splits int             `json:"splits"`
	Asked  int             `json:"asked"`
	Failed []trust.Failure `json:"failed,omitempty"`

	// Points are the prices, ascending, and Default is what the method does where no price is given.
	Points  []Point `json:"points"`
	Default *Point  `json:"default,omitempty"`

	// Best is the value with the largest held-out likelihood, Recommended the one to take (absent for the default), Settings those of the method that learn
	// at it, and Reason why. They are absent where no split was done.
	Best        *float64     `json:"best,omitempty"`
	Recommended *float64     `json:"recommended,omitempty"`
	Settings    param.Record `json:"settings,omitempty"`
	Reason      string       `json:"reason,omitempty"`
}

// A Point is the graph at one price.
type Point struct {
	// Value is that of the setting; absent for the default.
	Value *float64 `json:"value,omitempty"`
	// Edges and Score are those of the graph of the whole table.
	Edges int     `json:"edges"`
	Score float64 `json:"score"`
	// HeldOut is the held-out log-likelihood in bits a row, columns of numbers in units of their standard deviations. Behind is by
	// how much it is less than that of the best price, and Error the standard error of that. They are absent where no split was done.
	HeldOut *float64 `json:"held_out_bits,omitempty"`
	Behind  *float64 `json:"behind_bits,omitempty"`
	Error   *float64 `json:"behind_error,omitempty"`
	// Adjacency is how far the graphs of two halves agree on what is adjacent, 2·common/(edges of both), 1 where there are none.
	// Direction is the share of common edges with the same direction, or with an open one in both; absent where none is common.
	Adjacency *float64 `json:"adjacency_agreement,omitempty"`
	Direction *float64 `json:"direction_agreement,omitempty"`
}

// pathHalf has what one half says at one penalty: the bits per row of the other half, and the edges.
type pathHalf struct {
	bits  float64
	edges map[[2]int]rune // by pair, smaller first: > or < for a direction, - for an open one
}

// pathSplit has both halves of a split, by penalty; the last is the default.
type pathSplit [2][]pathHalf

// fill computes what the splits say together. Splits are in their order, so that sums are always the same.
func (p *Path) fill(splits []pathSplit) {
	if len(splits) == 0 {
		return
	}
	points := make([]*Point, 0, len(p.Points)+1)
	for k := range p.Points {
		points = append(points, &p.Points[k])
	}
	points = append(points, p.Default)
	best := -1
	for k, at := range points {
		sum := 0.0
		common, same, edges := 0, 0, 0
		for _, s := range splits {
			a, b := s[0][k], s[1][k]
			sum += (a.bits + b.bits) / 2
			edges += len(a.edges) + len(b.edges)
			for pair, mark := range a.edges {
				if other, ok := b.edges[pair]; ok {
					common++
					if mark == other {
						same++
					}
				}
			}
		}
		mean, agree := sum/float64(len(splits)), 1.0
		if edges > 0 {
			agree = 2 * float64(common) / float64(edges)
		}
		at.HeldOut, at.Adjacency = &mean, &agree
		if common > 0 {
			share := float64(same) / float64(common)
			at.Direction = &share
		}
		if k < len(p.Points) && (best < 0 || mean > *points[best].HeldOut) {
			best = k
		}
	}
	for k, at := range points {
		behind := *points[best].HeldOut - *at.HeldOut
		e := standardError(bitsAt(splits, best), bitsAt(splits, k))
		at.Behind, at.Error = &behind, &e
	}
	p.recommend(best)
}

// bitsAt lists the bits per row of all halves at price k.
func bitsAt(splits []pathSplit, k int) (out []float64) {
	for _, s := range splits {
		out = append(out, s[0][k].bits, s[1][k].bits)
	}
	return out
}

// recommend keeps the default unless the best value explains the rows held out better than the default by more than the standard error of
// the difference. Then it takes the largest value up to which every one is behind the best by no more than the standard error of that
// (the rule of one standard error, Breiman et al. 1984, with the error of the difference).
func (p *Path) recommend(best int) {
	p.Best = p.Points[best].Value
	p.Settings = param.Record{{Key: "model", Value: string(p.Model)}}
	if d := p.Default; *d.Behind <= *d.Error {
		p.Reason = fmt.Sprintf("no %s predicts held-out rows better than the default by more than one standard error: the best, %s, is ahead by %.4f ± %.4f bits per row", p.Setting, valueText(*p.Best), max(0, *d.Behind), *d.Error)
		return
	}
	take := best
	for take+1 < len(p.Points) && *p.Points[take+1].Behind <= *p.Points[take+1].Error && *p.Points[take+1].Behind < *p.Default.Behind {
		take++
	}
	p.Recommended = p.Points[take].Value
	p.Settings = append(p.Settings, param.Entry{Key: strings.ReplaceAll(p.Setting, "-", "_"), Value: *p.Recommended})
	if take == best {
		p.Reason = fmt.Sprintf("best prediction of held-out rows, and no larger %s is within one standard error", p.Setting)
		if best == len(p.Points)-1 {
			p.Reason = fmt.Sprintf("best prediction of held-out rows; it is the largest %s tried, and larger ones may be better", p.Setting)
		}
		return
	}
	at := p.Points[take]
	p.Reason = fmt.Sprintf("the largest %s within one standard error of the best: %.4f ± %.4f bits per row behind %s, with %s instead of %d",
		p.Setting, *at.Behind, *at.Error, valueText(*p.Best), names.Count(at.Edges, "edge"), p.Points[best].Edges)
}
