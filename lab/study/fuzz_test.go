package study

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/polydag/polydag/cluster/work"
	"github.com/polydag/polydag/internal/must"
)

// FuzzRunBody checks that no body of a unit, whatever its content, makes the handler of runs panic. The bodies are changed from runs of every
// kind, with the key that their content has; each is stopped after 50 ms and has 64 MB.
func FuzzRunBody(f *testing.F) {
	st := must.Get(Read(strings.NewReader(tiny)))
	var seeds [][]byte
	for _, r := range must.Get(st.Expand(Select{})) {
		seeds = append(seeds, must.Get(json.Marshal(r)))
	}
	must.AddMutants(f, 400, seeds...)
	handler := Handler(1, 64<<20)
	in := work.NewInputs(func(context.Context, string) ([]byte, error) { return []byte("no table"), nil })
	f.Fuzz(func(t *testing.T, text []byte) {
		var r Run
		if json.Unmarshal(text, &r) == nil {
			if _, err := r.config(); err == nil {
				r.Key = r.key()
				text = must.Get(json.Marshal(r))
			}
		}
		body, err := json.Marshal(runBody{Run: text})
		if err != nil {
			return
		}
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if need, err := handler.Memory(body); err == nil && work.Fits("the run", need, 64<<20) == nil {
			handler.Do(ctx, body, in)
		}
	})
}
