package command

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/command/internal/serve"
)

// live keeps a file with the progress of a run. The file is replaced at most once per second and removed at the
// end.
type live struct {
	a    *app
	path string
	run  serve.Run
	last time.Time

	finished func()
}

// newLive returns nil if no file was requested.
func newLive(a *app, path, data string, cfg polydag.Config) *live {
	if path == "" {
		return nil
	}
	l := &live{a: a, path: path, run: serve.Run{
		ID: filepath.Base(path), Name: filepath.Base(data), Method: cfg.Method.Info().Name, State: serve.Running, Started: time.Now().UTC(),
	}, finished: func() {}}
	if path != "-" {
		l.finished = a.left.add(func() { os.Remove(path) })
	}
	return l
}

func (l *live) observe(ctx context.Context, p polydag.Progress) {
	if l == nil || p.Score-p.Score != 0 || p.H-p.H != 0 {
		return
	}
	l.run.Course.Add(p)
	if time.Since(l.last) < time.Second {
		return
	}
	l.last = time.Now()
	r := l.run
	r.Seconds = time.Since(r.Started).Seconds()
	r.Stage, r.Step, r.Steps, r.Score, r.H, r.Edges = p.Stage, p.Step, p.Steps, p.Score, p.H, p.Edges
	l.a.data(ctx, l.path, func(w io.Writer) error { return json.NewEncoder(w).Encode(r) }) // a missing folder does not stop the run
	l.a.left.forget(l.path)
}

func (l *live) end() {
	if l != nil && l.path != "-" {
		os.Remove(l.path)
		l.finished()
	}
}
