package serve

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/polydag/polydag"
)

// Settings say what is served. All fields but Token, Compare, Picture and CreateTemp are needed.
type Settings struct {
	Dir string // the folder of results
	// Token, if set, is asked of every visitor, and makes other hosts than this machine possible. Without it only
	// requests for loopback names are answered.
	Token string
	// MaxUpload bounds the bytes of a table that is dropped.
	MaxUpload int64
	// MaxWaiting bounds the runs that wait; one runs at a time.
	MaxWaiting int

	// Learn learns from the table in the file at job.Path.
	Learn func(ctx context.Context, job Job, observe polydag.Observer) (*polydag.Result, error)
	// Page writes a result as a page that needs no other file.
	Page func(ctx context.Context, w io.Writer, name string, res *polydag.Result) error
	// Compare writes two results as one page.
	Compare func(ctx context.Context, w io.Writer, a, b Named) error
	// Picture writes a result as a small SVG for the list.
	Picture func(ctx context.Context, w io.Writer, res *polydag.Result) error
	// CreateTemp makes the files for tables on their way, in the system's folder for such files. os.CreateTemp if nil.
	CreateTemp func(dir, pattern string) (*os.File, error)
}

// Validate reports every fault.
func (o Settings) Validate() error {
	var errs []error
	if o.Dir == "" {
		errs = append(errs, errors.New("setting Dir is empty; name the folder of results"))
	}
	if o.MaxUpload < 1 {
		errs = append(errs, fmt.Errorf("MaxUpload = %d, want at least 1", o.MaxUpload))
	}
	if o.MaxWaiting < 0 {
		errs = append(errs, fmt.Errorf("MaxWaiting = %d, want 0 or more", o.MaxWaiting))
	}
	if o.Learn == nil || o.Page == nil {
		errs = append(errs, errors.New("setting Learn and Page must be set"))
	}
	return errors.Join(errs...)
}

// Server is an http.Handler.
type Server struct {
	opt     Settings
	root    *os.Root // nothing outside of it can be opened, links included
	runs    *runs
	handler http.Handler

	part struct { // the result that is being written beside its place
		sync.Mutex
		name string
		over bool // nothing is written any more
	}
	watching  atomic.Int64 // pages that listen to events
	uploading atomic.Int64 // tables on their way
	pace      pace         // of a table on its way

	pictures pictures

	known struct { // which files of the folder are results
		sync.Mutex
		files map[Entry]bool
	}
}

//go:embed assets
var assets embed.FS

// New opens the folder and starts the worker that runs wait for.
func New(opt Settings) (*Server, error) {
	if err := opt.Validate(); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(opt.Dir)
	if err != nil {
		return nil, fmt.Errorf("cannot open the folder %s: %w; create it first", opt.Dir, err)
	}
	s := &Server{opt: opt, root: root, pace: uploadPace}
	s.runs = newRuns(opt.MaxWaiting, s.learn)
	mux := http.NewServeMux()
	for pattern, handler := range s.routes() {
		mux.Handle(pattern, handler)
	}
	s.handler = s.guard(mux)
	return s, nil
}

// routes are all that is answered. openapi.json describes them, and a test holds the two together.
func (s *Server) routes() map[string]http.Handler {
	return map[string]http.Handler{
		"GET /{$}":             s.asset("index.html"),
		"GET /assets/{file}":   http.HandlerFunc(s.sendAsset),
		"GET /openapi.json":    http.HandlerFunc(sendDescription),
		"GET /results/{name}":  http.HandlerFunc(s.showResult),
		"GET /files/{name}":    http.HandlerFunc(s.sendFile),
		"GET /pictures/{name}": http.HandlerFunc(s.showPicture),
		"GET /compare":         http.HandlerFunc(s.compare),
		"GET /events":          http.HandlerFunc(s.events),
		"POST /runs":           http.HandlerFunc(s.startRun),
		"POST /runs/{id}/stop": http.HandlerFunc(s.stopRun),
	}
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// Close stops the runs, which write what they have, and waits for them.
func (s *Server) Close() error {
	s.runs.close()
	return s.root.Close()
}

// Discard is for a process that ends at once: it takes away a result that is half written, and no more are written.
func (s *Server) Discard() {
	s.part.Lock()
	defer s.part.Unlock()
	s.part.over = true
	if s.part.name != "" {
		s.root.Remove(s.part.name)
	}
}

func (s *Server) asset(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { http.ServeFileFS(w, r, assets, "assets/"+name) }
}

// sendAsset sends a file of the list's page.
func (s *Server) sendAsset(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("file")
	if _, err := fs.Stat(assets, "assets/"+name); err != nil || name == "index.html" {
		refuse(w, http.StatusNotFound, "no file %q", name)
		return
	}
	s.asset(name)(w, r)
}

// description says in the form of OpenAPI what is answered here.
//
//go:embed openapi.json
var description []byte

func sendDescription(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.Write(description)
}

// refuse answers with a sentence, never with markup, and ends the connection: whoever is refused keeps no place.
func refuse(w http.ResponseWriter, code int, format string, args ...any) {
	w.Header().Set("Connection", "close")
	http.NewResponseController(w).SetReadDeadline(time.Now().Add(time.Second)) // an error means a writer without deadlines, as in tests
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(code)
	fmt.Fprintf(w, format+"\n", args...)
}
