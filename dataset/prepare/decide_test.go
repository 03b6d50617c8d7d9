package prepare

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
)

// scored draws 400 labels and their scores: probabilities of a classifier with about 10 % errors, logits, and similarities around 0.2
// and 0.3. plain has uniform values, and share values within 0–1 that pile up at 0 only.
func scored() (truth []float64, table dataset.Memory) {
	rng := rand.New(rand.NewPCG(1, 2))
	columns := map[string][]float64{}
	for range 400 {
		y := float64(rng.IntN(2))
		truth = append(truth, y)
		z := 2.6*(2*y-1) + 2.28*rng.NormFloat64()
		columns["p"] = append(columns["p"], 1/(1+math.Exp(-z)))
		columns["q"] = append(columns["q"], 1/(1+math.Exp(z)))
		columns["x_logit"] = append(columns["x_logit"], 2.6*(2*y-1)+2.28*rng.NormFloat64())
		columns["near"] = append(columns["near"], 0.2+0.1*y+0.01*rng.NormFloat64())
		columns["plain"] = append(columns["plain"], rng.Float64())
		columns["share"] = append(columns["share"], math.Pow(rng.Float64(), 4))
	}
	for _, name := range strings.Fields("p q x_logit near plain share") {
		table = append(table, dataset.MemoryColumn{Name: name, Numbers: columns[name]})
	}
	return truth, table
}

func TestScores(t *testing.T) {
	truth, table := scored()
	names := func(g *Gathered) (list []string) {
		for _, s := range g.Scores {
			list = append(list, fmt.Sprintf("%s %.2g", s.Column, s.Cut))
		}
		return list
	}
	images := dataset.MemoryColumn{Name: dataset.ClassifiedColumn, Text: make([]string, len(truth))}
	for i := range images.Text {
		images.Text[i] = fmt.Sprintf("%d.png", i)
	}
	for _, c := range []struct {
		name, drop string
		rules      []string
		exclude    bool
		classified bool
		want       string
	}{
		{name: "by values and name", exclude: true, want: "p 0.5, q 0.5, x_logit 0"},
		{name: "one column of probabilities may be a share", drop: "q,x_logit", exclude: true},
		{name: "not without Exclude"},
		{name: "rules", rules: []string{"*=score", "plain=continuous", "share=continuous"}, want: "p 0.5, q 0.5, x_logit 0, near 0.25"},
		{name: "rules against values", rules: []string{"p=continuous"}, exclude: true, want: "x_logit 0"},
		{name: "a table of a model", drop: "q,x_logit,plain,near", exclude: true, classified: true, want: "p 0.5, share 0.5"},
	} {
		set := DefaultSettings()
		set.Profile, set.Encode, set.Exclude, set.Kinds = true, dataset.EncodeLevels, c.exclude, c.rules
		if c.drop != "" {
			set.Drop = []string{c.drop}
		}
		in := table
		if c.classified {
			in = append(dataset.Memory{images}, table...)
		}
		g := must.Get(Gather(context.Background(), in.Source, set))
		if got := strings.Join(names(g), ", "); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
			continue
		}
		at := slices.Index(g.Moments.Names, "p")
		if !strings.Contains(c.want, "p ") {
			continue
		}
		right, rows := 0, 0
		must.Succeed(t, g.Replay(context.Background(), func(b dataset.RowBatch) error {
			for i := at; i < len(b.Values); i += g.Moments.Dim() {
				if b.Values[i] == truth[rows] {
					right++
				}
				rows++
			}
			return nil
		}))
		if wrong := 1 - float64(right)/400; !(wrong > 0.05 && wrong < 0.2) || g.Moments.Max[at] != 1 {
			t.Errorf("%s: %.2f of the decisions are wrong", c.name, wrong)
		}
		for _, s := range g.Scores {
			if s.Column == "p" && !(math.Abs(s.Unsure-0.12) <= 0.05) {
				t.Errorf("%s: %.2f of the decisions are expected to be wrong", c.name, s.Unsure)
			}
		}
		if !strings.Contains(strings.Join(g.Profile.Notes, " "), "scores of a label") {
			t.Errorf("%s: notes %q", c.name, g.Profile.Notes)
		}
	}
}
