package work

import (
	"bytes"
	"errors"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// FuzzDecodeUnit checks that any bytes give ErrUnit or a unit that is encoded and decoded as the same.
func FuzzDecodeUnit(f *testing.F) {
	var seeds [][]byte
	for _, body := range []any{nil, map[string]any{"lags": 3, "of": []string{"a", "b"}}} {
		u := must.Get(NewUnit("table.moments/1", body, Hash([]byte("a")), Hash(nil)))
		seeds = append(seeds, must.Get(u.Encode()))
	}
	must.AddMutants(f, 1000, seeds...)
	f.Fuzz(func(t *testing.T, text []byte) {
		u, err := DecodeUnit(text)
		if err != nil {
			if !errors.Is(err, ErrUnit) {
				t.Fatalf("%v does not match ErrUnit", err)
			}
			return
		}
		once := must.Get(u.Encode())
		again, err := DecodeUnit(once)
		must.Succeed(t, err)
		if twice := must.Get(again.Encode()); !bytes.Equal(once, twice) {
			t.Fatalf("first %s, then %s", once, twice)
		}
	})
}
