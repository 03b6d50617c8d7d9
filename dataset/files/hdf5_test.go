package files

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// TestHDF5OfCells checks that the error for files of single cells names a way to read them.
func TestHDF5OfCells(t *testing.T) {
	for name, want := range map[string]string{"a.h5ad": "anndata.read_h5ad", "filtered_feature_bc_matrix.h5": "scanpy.read_10x_h5", "a.h5": "pandas.read_hdf"} {
		path := filepath.Join(t.TempDir(), name)
		must.Succeed(t, os.WriteFile(path, []byte("\x89HDF\r\n\x1a\n\x00\x00"), 0o600))
		if _, err := Open(path, nil, DefaultSettings()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
