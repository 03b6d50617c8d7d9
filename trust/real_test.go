package trust_test

import (
	"compress/gzip"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/csv"
	"github.com/polydag/polydag/dataset/prepare"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/trust"
)

// What the faces of FFHQ hide: two copies, and eight emotions that add to 1. The hair colours of a tenth of them are missing;
// the mean stands in, which leaves the relations of complete columns as they are.
func TestFFHQ(t *testing.T) {
	g := readFFHQ(t)
	p := trust.ExamineRefusing(g.Moments, g.Profile, trust.Refusals{Missing: true})
	wanted := map[string]struct {
		code     string
		columns  []string
		sentence string
	}{
		"smile":    {trust.Duplicate, []string{"smile", "happiness"}, "smile equals happiness in every row"},
		"headwear": {trust.Duplicate, []string{"headwear", "hair_invisible"}, "headwear equals hair_invisible in every row"},
		"emotions": {trust.Collinear, []string{"smile", "happiness", "anger", "contempt", "disgust", "fear", "neutral", "sadness", "surprise"},
			"smile (or happiness) + anger + contempt + disgust + fear + neutral + sadness + surprise = 1 up to rounding: residual standard deviation 0.00049, "},
	}
	relations := 0
	for _, f := range p.Findings {
		if f.Code == trust.Duplicate || f.Code == trust.Collinear || f.Code == trust.NearCollinear {
			relations++
		}
	}
	if relations != len(wanted) {
		t.Errorf("%d relations, want %d", relations, len(wanted))
	}
	for name, w := range wanted {
		if !slices.ContainsFunc(p.Findings, func(f trust.Finding) bool {
			return f.Code == w.code && slices.Equal(f.Columns, w.columns) && strings.HasPrefix(f.Sentence, w.sentence)
		}) {
			t.Errorf("%s: not found in %+v", name, p.Findings)
		}
	}
	if p.Rank != 36 || p.Varying != 38 {
		t.Errorf("rank %d of %d, want 36 of 38", p.Rank, p.Varying)
	}
	if f, ok := find(p, trust.IDLike); !ok || !slices.Equal(f.Columns, []string{"image"}) {
		t.Errorf("the image's number is not seen as one: %+v", f)
	}
	if f, ok := find(p, trust.Missing); !ok || f.Severity != trust.Error || len(f.Columns) != 6 {
		t.Errorf("the six colours are not seen as incomplete: %+v", f)
	}
}

// readFFHQ reads the table as polydag check does.
func readFFHQ(t *testing.T) *prepare.Gathered {
	t.Helper()
	root := os.Getenv("POLYDAG_DATA")
	if root == "" {
		root = filepath.Join("..", "..", "shared", "data")
	}
	path := filepath.Join(root, "attributes", "ffhq_features.csv.gz")
	if _, err := os.Stat(path); err != nil {
		t.Skip("the data are not part of the repository, and attributes/ffhq_features.csv.gz is not there: set POLYDAG_DATA to a folder that has it")
	}
	opt := prepare.DefaultSettings()
	opt.Missing, opt.Encode, opt.Profile = "auto", "drop", true
	g := must.Get(prepare.Gather(t.Context(), func(context.Context) (dataset.Source, error) {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		t.Cleanup(func() { f.Close() })
		z, err := gzip.NewReader(f)
		if err != nil {
			return nil, err
		}
		return csv.Open(z, csv.DefaultSettings())
	}, opt))
	return g
}
