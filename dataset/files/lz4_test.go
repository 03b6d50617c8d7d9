package files

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/pierrec/lz4/v4"

	"github.com/polydag/polydag/internal/must"
)

// TestOldLZ4 checks the codec LZ4 of old files: Hadoop's blocks, one or several, or a bare block; damage is an
// error.
func TestOldLZ4(t *testing.T) {
	text := bytes.Repeat([]byte("numbers and more numbers "), 100)
	pack := func(p []byte) []byte {
		out := make([]byte, lz4.CompressBlockBound(len(p)))
		n, err := lz4.CompressBlock(p, out, nil)
		must.Succeed(t, err)
		return out[:n]
	}
	framed := func(parts ...[]byte) (out []byte) {
		for _, p := range parts {
			z := pack(p)
			out = binary.BigEndian.AppendUint32(out, uint32(len(p)))
			out = append(binary.BigEndian.AppendUint32(out, uint32(len(z))), z...)
		}
		return out
	}
	for name, src := range map[string][]byte{"one block": framed(text), "two blocks": framed(text[:700], text[700:]), "bare": pack(text)} {
		dst := make([]byte, len(text))
		if n, err := unpackOldLZ4(dst, src); err != nil || n != len(text) || !bytes.Equal(dst, text) {
			t.Errorf("%s: %d bytes, %v", name, n, err)
		}
		if n, err := unpackOldLZ4(make([]byte, len(text)), src[:len(src)-9]); err == nil && n == len(text) {
			t.Errorf("%s: cut short and taken", name)
		}
	}
}
