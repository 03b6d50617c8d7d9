package page

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/effect"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/trust"
)

// unpack returns the data of a page as JSON, as web/src/unpack.ts does.
func unpack(t *testing.T, data []byte) []byte {
	t.Helper()
	var text string
	if json.Unmarshal(data, &text) != nil {
		return data
	}
	packed := must.Get(base64.StdEncoding.DecodeString(text))
	return must.Get(io.ReadAll(must.Get(gzip.NewReader(bytes.NewReader(packed)))))
}

// TestPack checks that data come back as they were, and that small ones stay readable.
func TestPack(t *testing.T) {
	for _, size := range []int{2, packFrom - 1, packFrom, 3 * packFrom} {
		data := append(append([]byte{'"'}, bytes.Repeat([]byte("x"), size-2)...), '"')
		data[0], data[size-1] = '[', ']' // a string would be taken for packed data
		got := must.Get(pack(data))
		if same := bytes.Equal(got, data); same != (size < packFrom) {
			t.Errorf("%d bytes: unchanged is %t", size, same)
		}
		if size >= packFrom && !bytes.Equal(unpack(t, got), data) {
			t.Errorf("%d bytes do not come back", size)
		}
	}
}

// TestLargePage checks the size of a page about 300 columns with curves and categories, with as much about effects as a
// survey has at most. Its digits are random, so that it compresses no better than a learned result.
func TestLargePage(t *testing.T) {
	const columns, edges, most = 300, 600, 1_500_000
	rng := rand.New(rand.NewPCG(1, 2))
	digits := func(n int) float64 {
		x, _ := strconv.ParseFloat(strconv.FormatFloat(rng.NormFloat64(), 'g', n, 64), 64) // its own output can be parsed
		return x
	}
	r := &polydag.Result{Kind: "dag", Model: "flexible", Rows: 2000}
	for v := range columns {
		r.Names = append(r.Names, fmt.Sprintf("a long name of column %d", v))
		r.Certificate.Order = append(r.Certificate.Order, r.Names[v])
	}
	pair := func(k int) (string, string) {
		from := k * 7 % (columns - 40)
		return r.Names[from], r.Names[from+1+k%37]
	}
	for k := range edges {
		e := polydag.Edge{Mark: "-->", Gain: digits(17), Weight: digits(17), Standardized: digits(17)}
		e.From, e.To = pair(k)
		e.Verdict, e.Confidence, e.PAdjacent, e.PDirection = polydag.Directed, rng.Float64(), rng.Float64(), rng.Float64()
		e.Evidence = []trust.Reason{
			{Source: trust.FromShape, LogOdds: rng.Float64(), Weight: rng.Float64(), Text: fmt.Sprintf("reversing the edge increases the score by %.3g (ΔBIC)", digits(3))},
			{Source: trust.FromChecks, Text: fmt.Sprintf("failed checks at these variables: heavy tails (%s), skewness (%s)", e.From, e.To)},
			{Source: trust.FromRule, LogOdds: rng.Float64(), Text: fmt.Sprintf("in real tables the variable with fewer distinct values usually comes first (%d and %d)", rng.IntN(1000), rng.IntN(1000))},
		}
		f := &polydag.Effect{Form: method.EffectCurve}
		for x := range 25 {
			f.X, f.Y = append(f.X, float64(x)+rng.Float64()), append(f.Y, digits(6))
		}
		e.Effect = f
		r.Edges = append(r.Edges, e)
	}
	set := &effect.Survey{Pairs: 3000}
	for k := range effect.DefaultSurvey().MostPairs {
		a := &effect.Answer{Contrast: effect.Contrast{Start: fmt.Sprint(digits(6)), End: fmt.Sprint(digits(6)), Quartiles: true}}
		a.Of, a.On = pair(k)
		a.Effects = []effect.Effect{{Outcome: "mean", Total: effect.Quantity{Value: digits(6)}, Direct: &effect.Quantity{Value: digits(6)}}}
		for range 5 {
			std := digits(6)
			d := effect.Distribution{Do: fmt.Sprint(digits(6)), Mean: &effect.Quantity{Value: digits(6)}, Std: &std, By: "rows"}
			for _, p := range []float64{0.05, 0.25, 0.5, 0.75, 0.95} {
				d.Quantiles = append(d.Quantiles, effect.Quantile{P: p, Value: digits(6)})
			}
			a.Distributions = append(a.Distributions, d)
		}
		set.Answers = append(set.Answers, a)
	}
	page := write(t, Input{Results: []Labelled{{Label: "large", Result: r, Effects: set}}})
	if len(page) > most {
		t.Errorf("the page has %d bytes, want at most %d", len(page), most)
	}
	if c := dataOf(t, page); len(c.Results[0].Effects.List) != len(set.Answers) || c.Results[0].Result.Edges[3].Effect.X[2] != r.Edges[3].Effect.X[2] {
		t.Error("the page has other data")
	}
	t.Logf("%d bytes", len(page))
}
