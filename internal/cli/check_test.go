package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCheckFFHQ checks that all relations in the table of FFHQ's faces are named: two copies and eight emotions
// that add to 1.
func TestCheckFFHQ(t *testing.T) {
	root := os.Getenv("POLYDAG_DATA")
	if root == "" {
		root = filepath.Join("..", "..", "..", "shared", "data")
	}
	path := filepath.Join(root, "attributes", "ffhq_features.csv.gz")
	if _, err := os.Stat(path); err != nil {
		t.Skip("the data are not part of the repository, and attributes/ffhq_features.csv.gz is not there: set POLYDAG_DATA to a folder that has it")
	}
	var out, errs bytes.Buffer
	if code := Main(context.Background(), []string{"check", path}, strings.NewReader(""), &out, &errs); code != exitOK {
		t.Errorf("exit code %d\n%s", code, errs.String())
	}
	text := strings.Join(strings.Fields(out.String()), " ")
	for _, want := range []string{
		"3 columns excluded:",
		"smile: duplicate, equals happiness in every row",
		"happiness: linear function of other columns, happiness = - neutral",
		"warning missing values are missing in 6 columns of 69401 rows: hair_brown 9.8%",
		"possible identifier: image",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
	out.Reset()
	if code := Main(context.Background(), []string{"check", path, "--drop", "image", "--drop", "hair_*", "--drop", "happiness", "--drop", "neutral"}, strings.NewReader(""), &out, &errs); code != exitOK {
		t.Errorf("with the ways out: exit code %d\n%s", code, errs.String())
	}
	for _, gone := range []string{"duplicate", "collinear", "missing  ", "id_like"} {
		if strings.Contains(out.String(), "warning "+gone) || strings.Contains(out.String(), "error   "+gone) {
			t.Errorf("with the ways out there is still %s:\n%s", gone, out.String())
		}
	}
}

// TestCheckTableWithoutValues checks the message for a table without any value. Exclusions by check itself are
// not settings of the user.
func TestCheckTableWithoutValues(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none.csv")
	if err := os.WriteFile(path, []byte("a,b\nNaN,NaN\n,NaN\nNaN,\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	code := Main(context.Background(), []string{"check", path}, strings.NewReader(""), &out, &errs)
	if code != exitFailure || !strings.Contains(strings.Join(strings.Fields(out.String()), " "), "a (no values: all 3 values are missing) and b") || strings.Contains(out.String(), "--drop") {
		t.Errorf("exit code %d, %s", code, errs.String())
	}
}
