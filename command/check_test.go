package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// TestCheckFFHQ checks that the relations in the table of FFHQ's faces are named: a copy, and a score of which smile is the decision. The
// eight emotions add to 1 only before scores are decided.
func TestCheckFFHQ(t *testing.T) {
	root := os.Getenv("POLYDAG_DATA")
	if root == "" {
		root = filepath.Join("..", "..", "shared", "data")
	}
	path := filepath.Join(root, "attributes", "ffhq_features.csv.gz")
	if _, err := os.Stat(path); err != nil {
		t.Skip("the data are not part of the repository, and attributes/ffhq_features.csv.gz is not there: set POLYDAG_DATA to a folder that has it")
	}
	out, _ := run(t, exitOK, "check", path)
	text := strings.Join(strings.Fields(out), " ")
	must.Contain(t, text,
		"3 columns excluded:",
		"happiness: computed from other columns, happiness is computed from smile (smile ≥ 0.5)",
		"headwear: duplicate, equals hair_invisible in every row",
		"warning missing values are missing in 6 columns of 69401 rows: hair_brown 9.8%",
		"image: identifier, numbers the rows, from 0 to 69999 with gaps",
	)
	out, _ = run(t, exitOK, "check", path, "--drop", "image", "--drop", "hair_*", "--drop", "happiness", "--drop", "neutral")
	for _, gone := range []string{"duplicate", "collinear", "missing  ", "id_like"} {
		if strings.Contains(out, "warning "+gone) || strings.Contains(out, "error   "+gone) {
			t.Errorf("with the ways out there is still %s:\n%s", gone, out)
		}
	}
}

// TestCheckTableWithoutValues checks the message for a table without any value. Exclusions by check itself are
// not settings of the user.
func TestCheckTableWithoutValues(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none.csv")
	must.Succeed(t, os.WriteFile(path, []byte("a,b\nNaN,NaN\n,NaN\nNaN,\n"), 0o644))
	out, errs := run(t, exitFailure, "check", path)
	if !strings.Contains(strings.Join(strings.Fields(out), " "), "a (no values: all 3 values are missing) and b") || strings.Contains(out, "--drop") {
		t.Errorf("%s\n%s", out, errs)
	}
}
