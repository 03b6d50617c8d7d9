package tables

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"testing"
	"time"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/cluster/work"
	"github.com/polydag/polydag/confidence"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/internal/must"
)

// recorder is a work.Runner that records jobs instead of doing them.
type recorder struct {
	units []work.Unit
	blobs map[string]work.Blob
}

var errRecorded = errors.New("recorded")

func (r *recorder) Run(_ context.Context, job *work.Job, _ func(int, []byte) error) error {
	r.units = append(r.units, job.Units[0])
	for name, b := range job.Blobs {
		r.blobs[name] = b
	}
	return errRecorded
}

// FuzzUnitBody checks that no body of a unit, whatever its content, makes a handler panic. The bodies are changed from those of every kind of
// unit on a table; each is stopped after 50 ms and has 64 MB.
func FuzzUnitBody(f *testing.F) {
	list := parts(f, 2)
	rows := must.Get(os.ReadFile(list[0][0]))
	p := polydag.DefaultPreparation()
	read := NewReading(files.DefaultSettings(), p, nil)
	p.Time = dataset.TimeSettings{Column: ".", Lags: 2}
	lagged := NewReading(files.DefaultSettings(), p, []string{"a=numeric"})
	r := &recorder{blobs: map[string]work.Blob{}}
	ctx := context.Background()
	open := func(path string) *polydag.Table {
		in := must.Get(files.Open(path, nil, files.DefaultSettings()))
		f.Cleanup(func() { in.Close() }) // the rows are read again
		return must.Get(polydag.Prepare(ctx, in, polydag.DefaultPreparation()))
	}
	set := confidence.DefaultSettings()
	set.Replicates, set.Calibrate = 4, 2
	for _, reading := range []Reading{read, lagged} {
		if _, err := confidence.LearnWith(ctx, open(list[0][0]), polydag.DefaultConfig(), set, polydag.Run{}, Replicates{Runner: r, Paths: list[0], Read: reading}); !errors.Is(err, errRecorded) {
			f.Fatal(err)
		}
	}
	chain := chainTable(f)
	chains := Chains{Runner: r, Paths: []string{chain}, Read: read}
	if _, err := confidence.PosteriorWith(ctx, open(chain), polydag.DefaultConfig(), confidence.DefaultPosterior(), polydag.Run{}, chains); !errors.Is(err, errRecorded) {
		f.Fatal(err)
	}
	Moments(ctx, r, "parts", list, read, nil)
	Counts(ctx, r, "parts", list, read, nil)
	lags := &work.Job{}
	table := must.Get(Ship(lags, list[0], lagged))
	must.Succeed(f, table.add(lags, KindMoments, table)) // a submitter makes none
	r.Run(ctx, lags, nil)
	kinds := []string{KindMoments, KindCounts, KindReplicate, KindWalk}
	handlers := work.Handlers{KindMoments: MomentsHandler(64 << 20), KindCounts: CountsHandler(64 << 20), KindReplicate: ReplicateHandler(nil, 64<<20), KindWalk: WalkHandler(nil, 64<<20)}
	for _, lags := range []string{"100000", "1000000000000", "-3"} {
		f.Add(uint8(0), bytes.Replace(r.units[len(r.units)-1].Body, []byte(`"Lags":2`), []byte(`"Lags":`+lags), 1))
	}
	for _, u := range r.units {
		for k, kind := range kinds {
			if kind == u.Kind {
				for _, body := range must.Mutants(60, u.Body) {
					f.Add(uint8(k), []byte(body))
				}
			}
		}
	}
	in := work.NewInputs(func(_ context.Context, hash string) ([]byte, error) {
		if b, ok := r.blobs[hash]; ok {
			file := must.Get(b.Open())
			defer file.Close()
			return io.ReadAll(file)
		}
		return rows, nil
	})
	in.Folder = f.TempDir()
	f.Fuzz(func(t *testing.T, kind uint8, body []byte) {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		u, err := work.NewUnit(kinds[int(kind)%len(kinds)], json.RawMessage(body))
		if err != nil {
			return
		}
		handlers.Do(ctx, &u, in, 64<<20)
		if left := must.Get(os.ReadDir(in.Folder)); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	})
}
