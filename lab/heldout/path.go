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

// PathSchema is the version of the JSON format of Path. It changes when a field changes its meaning or is
// removed.
const PathSchema = "polydag.path/1"

// A Path is the sequence of graphs of a table for several penalties per edge.
type Path struct {
	Schema string        `json:"schema"`
	Status method.Status `json:"status"`
	Cause  string        `json:"cause,omitempty"` // why it ended early

	Table   polydag.Provenance `json:"table"`
	Program polydag.Program    `json:"program"`
	Rows    int                `json:"rows"`
	Columns int                `json:"columns"`
	// Model is the effect model at every penalty, and Setting the name of the penalty setting.
	Model   score.Effects `json:"model"`
	Setting string        `json:"setting"`
	Seed    uint64        `json:"seed"`
	// Splits is the number of completed splits and Asked the requested number. Failed lists the halves on which
	// learning failed.
	Splits int             `json:"splits"`
	Asked  int             `json:"asked"`
	Failed []trust.Failure `json:"failed,omitempty"`

	// Points are the results by penalty, ascending, and Default is the result of the method without a given
	// penalty.
	Points  []Point `json:"points"`
	Default *Point  `json:"default,omitempty"`

	// Best is the value with the largest held-out likelihood, and Recommended the value to use (absent for the
	// default). Settings are the settings of the method for it, and Reason explains it. They are absent without
	// a completed split.
	Best        *float64     `json:"best,omitempty"`
	Recommended *float64     `json:"recommended,omitempty"`
	Settings    param.Record `json:"settings,omitempty"`
	Reason      string       `json:"reason,omitempty"`
}

// A Point is the graph at one penalty.
type Point struct {
	// Value is the value of the setting; absent for the default.
	Value *float64 `json:"value,omitempty"`
	// Edges and Score describe the graph of the whole table.
	Edges int     `json:"edges"`
	Score float64 `json:"score"`
	// HeldOut is the held-out log-likelihood in bits per row, with numeric columns standardized. Behind is the
	// deficit to the best penalty, and Error the standard error of that deficit. They are absent without a
	// completed split.
	HeldOut *float64 `json:"held_out_bits,omitempty"`
	Behind  *float64 `json:"behind_bits,omitempty"`
	Error   *float64 `json:"behind_error,omitempty"`
	// Adjacency is the agreement of the graphs of two halves on adjacencies, 2·common/(edges of both), or 1
	// without edges. Direction is the share of common edges with the same direction, or undirected in both;
	// absent without common edges.
	Adjacency *float64 `json:"adjacency_agreement,omitempty"`
	Direction *float64 `json:"direction_agreement,omitempty"`
}

// pathHalf has the result of one half at one penalty: the bits per row of the other half, and the edges.
type pathHalf struct {
	bits  float64
	edges map[[2]int]rune // by pair, smaller index first: > or < for a direction, - for undirected
}

// pathSplit has both halves of a split, by penalty; the last is the default.
type pathSplit [2][]pathHalf

// fill computes the results of all splits together. Splits are in order, so that sums are deterministic.
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

// bitsAt lists the bits per row of all halves at penalty k.
func bitsAt(splits []pathSplit, k int) (out []float64) {
	for _, s := range splits {
		out = append(out, s[0][k].bits, s[1][k].bits)
	}
	return out
}

// recommend keeps the default unless the best value has a larger held-out likelihood by more than the standard
// error of the difference. Then it takes the largest value up to which every one is behind the best by at most
// the standard error of its deficit. This is the one-standard-error rule (Breiman et al. 1984) with the error
// of the difference.
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
