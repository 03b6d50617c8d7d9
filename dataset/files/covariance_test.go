package files

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
)

func openText(t *testing.T, name, text string) (*Input, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	must.Succeed(t, os.WriteFile(path, []byte(text), 0o600))
	in, err := Open(path, nil, DefaultSettings())
	if err == nil {
		t.Cleanup(func() { in.Close() })
	}
	return in, err
}

// TestCovarianceFile checks that a Tetrad covariance file is read as saved moments under any name; its matrix
// is divided by n - 1.
func TestCovarianceFile(t *testing.T) {
	for _, text := range []string{
		"11\na b c\n4\n 1 9\n-.5 0 2\n",
		"/covariance\n11\r\na\tb\tc\r\n4.0\r\n1.0\t9\r\n-5e-1\t0\t2\r\n",
		"11\na,b,c\n4,1,-.5\n1,9,0\n-.5,0,2",
	} {
		in, err := openText(t, "t.cov.txt", text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		m, p := in.Saved()
		if in.Format != Moments || m == nil || p != nil {
			t.Errorf("%q: %s, %v", text, in.Format, m)
			continue
		}
		for k, want := range []float64{40, 10, -5, 10, 90, 0, -5, 0, 20} {
			if !(math.Abs(m.Scatter[k]-want) <= 1e-12) {
				t.Errorf("entry %d is %v, want %v", k, m.Scatter[k], want)
			}
		}
		if m.N != 11 || strings.Join(m.Names, " ") != "a b c" {
			t.Errorf("%d rows of %v", m.N, m.Names)
		}
	}
}

func TestCovarianceFaults(t *testing.T) {
	for text, want := range map[string]error{
		"11\na b c\n4\n1 9\n":               ErrDamaged,
		"11\na b\n4\n1 9\n3 4\n":            ErrDamaged,
		"11\na b c\n4\n1 9 3 4\n1 2 3\n":    dataset.ErrRagged,
		"11\na b c\n4\n1 x\n1 2 3\n":        dataset.ErrNotNumber,
		"11\na a\n4\n1 9\n":                 dataset.ErrSameName,
		"11\n" + strings.Repeat("a ", 9000): dataset.ErrSameName,
	} {
		if _, err := openText(t, "t.txt", text); !errors.Is(err, want) {
			t.Errorf("%.40q: %v, want %v", text, err, want)
		}
	}
	if in, err := openText(t, "t.txt", "11 b\n1 2\n3 4\n"); err != nil || in.Format != CSV {
		t.Errorf("a table whose first name is a number: %v", err)
	}
}
