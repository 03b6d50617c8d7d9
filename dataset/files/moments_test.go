package files

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
)

// TestArrayOfAMomentsFile checks that a file of moments is one, unless one of its arrays is asked for as a table.
func TestArrayOfAMomentsFile(t *testing.T) {
	m := dataset.NewMoments([]string{"a", "b"})
	m.N, m.Mean = 10, []float64{1, 2}
	copy(m.Scatter, []float64{4, 1, 1, 9})
	copy(m.Max, []float64{2, 3})
	copy(m.Min, []float64{0, 1})
	var b bytes.Buffer
	must.Succeed(t, WriteMoments(&b, m, nil))
	path := filepath.Join(t.TempDir(), "m.npz")
	must.Succeed(t, os.WriteFile(path, b.Bytes(), 0o600))
	for array, format := range map[string]string{"": Moments, "scatter": NPZ} {
		opt := DefaultSettings()
		opt.Array = array
		in, err := Open(path, nil, opt)
		must.Succeed(t, err)
		if saved, _ := in.Saved(); in.Format != format || (saved != nil) != (array == "") {
			t.Errorf("array %q: %s, moments %v", array, in.Format, saved)
		}
		in.Close()
	}
}
