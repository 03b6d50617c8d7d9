package command

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/internal/must"
)

// labelTables writes a table of labels with errors, and human labels of its first rows: Male → Smiling → Young in one subgroup of Male,
// Young alone in the other.
func labelTables(t *testing.T) (table, human string) {
	t.Helper()
	rng := rand.New(rand.NewPCG(3, 4))
	draw := func(p float64) int {
		if rng.Float64() < p {
			return 1
		}
		return 0
	}
	var labels, truth strings.Builder
	fmt.Fprintln(&labels, "classified_image,Male,Smiling,Young,Bald")
	fmt.Fprintln(&truth, "classified_image,Male,Smiling,Young")
	for i := range 1200 {
		male := draw(0.5)
		smiling := draw(0.15 + 0.6*float64(male))
		young := draw(0.3 + 0.5*float64(male*smiling))
		bald := draw(0.4)
		wrong := func(v int) int {
			if rng.Float64() < 0.05 {
				return 1 - v
			}
			return v
		}
		fmt.Fprintf(&labels, "i%d.jpg,%d,%d,%d,%d\n", i, wrong(male), wrong(smiling), wrong(young), bald)
		if i < 300 {
			fmt.Fprintf(&truth, "i%d.jpg,%d,%d,%d\n", i, male, smiling, young)
		}
	}
	dir := t.TempDir()
	table, human = filepath.Join(dir, "labels.csv"), filepath.Join(dir, "human.csv")
	for file, text := range map[string]string{table: labels.String(), human: truth.String()} {
		must.Succeed(t, os.WriteFile(file, []byte(text), 0o644))
	}
	return table, human
}

// learnLabels runs polydag learn and returns the result and what was printed.
func learnLabels(t *testing.T, code int, args ...string) (*polydag.Result, string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "result.json")
	out, errs := run(t, code, append([]string{"learn", "--output", file}, args...)...)
	if code != 0 {
		return nil, errs
	}
	return readBack(t, file), out + errs
}

func TestValidation(t *testing.T) {
	table, human := labelTables(t)
	res, said := learnLabels(t, 0, table)
	if !strings.Contains(said, "unvalidated") || res.Rows != 1200 {
		t.Errorf("%d rows: %s", res.Rows, said)
	}
	res, said = learnLabels(t, 0, table, "--validation", human)
	must.Contain(t, said, "Validation: 300 rows; 1200 rows count as", "column   sensitivity  specificity", "Smiling")
	if strings.Contains(said, "unvalidated") || res.Rows >= 1200 || res.Rows < 300 || res.Model != "linear" || len(res.Names) != 4 {
		t.Errorf("%d rows, model %s, columns %v:\n%s", res.Rows, res.Model, res.Names, said)
	}
	strong := false
	for _, e := range res.Edges {
		strong = strong || e.From == "Male" && e.To == "Smiling" || e.From == "Smiling" && e.To == "Male"
	}
	if !strong || !strings.Contains(strings.Join(res.Table.Notes, " "), "corrected for label errors") {
		t.Errorf("edges %v, notes %v", res.Edges, res.Table.Notes)
	}
	for flag, replicates := range map[string]string{"--bootstrap": "20", "--stability": "20"} {
		res, said = learnLabels(t, 0, table, "--validation", human, flag, replicates)
		if c := res.Confidence; c == nil || c.Replicates != 20 || len(c.Failed) > 0 || res.Rows >= 1200 {
			t.Errorf("%s: confidence %+v of %d rows\n%s", flag, c, res.Rows, said)
		}
	}
	for want, args := range map[string][]string{
		"leave --calibrate out": {"--validation", human, "--bootstrap", "9", "--calibrate"},
		"exclude it":            {"--validation", human, "--environments", "Bald"},
		"no such column":        {"--validation", human, "--set", "validation-key=id"},
		"no such file":          {"--validation", human + "x"},
	} {
		code := 2
		if want == "no such file" {
			code = 1
		}
		if _, said := learnLabels(t, code, append([]string{table}, args...)...); !strings.Contains(said, want) {
			t.Errorf("%v: %q is not said:\n%s", args, want, said)
		}
	}
}

func TestPeople(t *testing.T) {
	table, _ := labelTables(t)
	res, said := learnLabels(t, 0, table) // four columns of CelebA
	if n := strings.Count(said, "annotation practice"); n != 1 {
		t.Errorf("the caution is said %d times:\n%s", n, said)
	}
	if _, said := learnLabels(t, 0, table, "--drop", "Bald"); strings.Contains(said, "annotation practice") {
		t.Errorf("caution without a known data set:\n%s", said)
	}
	res, said = learnLabels(t, 0, table, "--sensitive", "Male", "--set", "outcomes=Young", "--require", "Male->Smiling", "--require", "Smiling->Young")
	joined := strings.Join(res.Warnings, "\n")
	must.Contain(t, joined, "Male → Smiling → Young", "from the sensitive column Male", "the subgroups of Male were not compared")
	res, said = learnLabels(t, 0, table, "--sensitive", "Male")
	joined = strings.Join(res.Warnings, "\n")
	must.Contain(t, joined, "subgroups: Male = 0 in", "Male = 1 in", "the mechanisms differ for", "Smiling (0.", "in standard deviations")
	if !slices.Equal(res.Table.Sensitive, []string{"Male"}) {
		t.Errorf("the result has the sensitive columns %v", res.Table.Sensitive)
	}
	for want, args := range map[string][]string{
		`"Mal" is not a column`:        {"--sensitive", "Mal"},
		"--set outcomes has no effect": {"--set", "outcomes=Young"},
		"--environments, --targets ":   {"--sensitive", "Young", "--environments", "Male"},
	} {
		if _, said := learnLabels(t, 2, append([]string{table}, args...)...); !strings.Contains(said, want) {
			t.Errorf("%v: %q is not said:\n%s", args, want, said)
		}
	}
}
