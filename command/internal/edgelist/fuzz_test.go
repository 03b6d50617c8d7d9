package edgelist

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// FuzzReadEdges checks that Read never panics, and that its results survive a round trip.
func FuzzReadEdges(f *testing.F) {
	var seeds [][]byte
	for _, s := range []string{"from,to\na,b\n", "from,to,weight\na,b,1\nb,c,-2e3\n", "\"from\",to\r\n\"x,\"\"y\",z", "\n\nfrom,to\n"} {
		seeds = append(seeds, []byte(s))
	}
	must.AddMutants(f, 1000, seeds...)
	f.Fuzz(func(t *testing.T, text []byte) {
		edges, err := Read(bytes.NewReader(text), nil)
		if err != nil {
			return
		}
		var b bytes.Buffer
		must.Succeed(t, Write(&b, edges))
		back, err := Read(&b, nil)
		if err != nil || !reflect.DeepEqual(back, edges) {
			t.Fatalf("written %v, read back %v, %v", edges, back, err)
		}
	})
}
