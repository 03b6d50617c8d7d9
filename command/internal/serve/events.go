package serve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/polydag/polydag"
)

const (
	maxListeners = 64 // pages that listen at the same time
	tick         = 500 * time.Millisecond
	heartbeat    = 15 * time.Second
)

// Snapshot is the content of the list.
type Snapshot struct {
	Results []Entry `json:"results"`
	Runs    []Run   `json:"runs"`
	// Elsewhere has the progress of runs outside this server, from files in the folder.
	Elsewhere []Run    `json:"elsewhere"`
	Methods   []string `json:"methods"`
	MaxUpload int64    `json:"max_upload"`
	MaxResult int64    `json:"max_result"` // largest result in bytes that can be shown
}

// events sends the snapshot as server-sent events: at once, at each change of a run, and when a check twice per
// second finds a change.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	flusher, ok := w.(http.Flusher)
	if !ok {
		refuse(w, http.StatusInternalServerError, "this connection does not support live updates")
		return
	}
	if s.watching.Add(1) > maxListeners {
		s.watching.Add(-1)
		refuse(w, http.StatusServiceUnavailable, "too many pages of this server are open; close one")
		return
	}
	defer s.watching.Add(-1)
	w.Header().Set("Content-Type", "text/event-stream")
	var last []byte
	spoke := time.Now()
	timer := time.NewTicker(tick)
	defer timer.Stop()
	for {
		text, changed := s.snapshot()
		switch {
		case !bytes.Equal(text, last):
			if _, err := fmt.Fprintf(w, "data: %s\n\n", text); err != nil {
				return
			}
			flusher.Flush()
			last, spoke = text, time.Now()
		case time.Since(spoke) > heartbeat:
			if _, err := fmt.Fprint(w, ": still here\n\n"); err != nil {
				return
			}
			flusher.Flush()
			spoke = time.Now()
		}
		select {
		case <-r.Context().Done():
			return
		case <-s.runs.over:
			return
		case <-changed:
		case <-timer.C:
		}
	}
}

func (s *Server) snapshot() ([]byte, <-chan struct{}) {
	all, changed := s.runs.snapshot()
	results, elsewhere := s.list()
	text, err := json.Marshal(Snapshot{Results: results, Runs: all, Elsewhere: elsewhere, Methods: s.methodNames(), MaxUpload: s.opt.MaxUpload, MaxResult: polydag.MaxResultBytes})
	if err != nil {
		return []byte("{}"), changed
	}
	return text, changed
}

func (s *Server) methodNames() []string {
	var out []string
	for _, m := range s.opt.Methods.All() {
		out = append(out, m.Info().Name)
	}
	return out
}
