package provider_test

import (
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"strings"
	"testing"

	"github.com/polydag/polydag/images/provider"
	"github.com/polydag/polydag/internal/must"
)

// TestSums compares the checksums that users are told with those of the published files.
func TestSums(t *testing.T) {
	for name, file := range map[string]string{
		"celeba": "celeba/list_attr_celeba.txt.gz", "celeba-hq": "celeba_hq/CelebAMask-HQ-attribute-anno.txt.gz", "sachs": "sachs/sachs_observational.csv",
	} {
		var r io.Reader = open(t, file)
		if strings.HasSuffix(file, ".gz") {
			r = must.Get(gzip.NewReader(r))
		}
		h := sha256.New()
		must.Get(io.Copy(h, r))
		source, _ := provider.Lookup(name)
		must.Same(t, source.Sum, hex.EncodeToString(h.Sum(nil)), name)
	}
}
