package serve

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/internal/memory"
)

// A Backend is the program behind a server: it learns from the tables of visitors and shows results.
type Backend interface {
	// Accept returns an error if a visitor may not use these settings, or if a value is not valid.
	Accept(settings url.Values) error
	// Check returns the data checks of the table in the file at job.Path as JSON.
	Check(ctx context.Context, job Job) (json.RawMessage, error)
	// Learn learns from the table in the file at job.Path.
	Learn(ctx context.Context, job Job, observe polydag.Observer) (*polydag.Result, error)

	// Page writes one result, or two to compare, as a page. Without a result it writes the page that learns from tables.
	Page(ctx context.Context, w io.Writer, show Show, results ...Named) error
	// Picture writes a small picture of a result for the list, as SVG.
	Picture(ctx context.Context, w io.Writer, res *polydag.Result) error
	// Image writes a thumbnail of an image as JPEG. Its error matches ErrNoImage if there is no such image.
	Image(w io.Writer, file string) error
	// Export writes a result in a format of polydag convert. Its error matches ErrFormat if there is no such format.
	Export(ctx context.Context, w io.Writer, res *polydag.Result, format string) error
	// Questions returns as JSON what a visitor could tell to settle more directions of a result.
	Questions(ctx context.Context, res *polydag.Result) (json.RawMessage, error)
	// Drivers ranks the columns by their effect on the column job.Asked["of"], in subgroups of the columns job.Asked["by"], with the
	// table in the file at job.Path, and without intervals if job.Asked["intervals"] is false.
	Drivers(ctx context.Context, job Job, res *polydag.Result) (json.RawMessage, error)
	// Effects computes from the table in the file at job.Path what Page shows of the effects of interventions under a result. Its answer
	// is an empty object.
	Effects(ctx context.Context, job Job, res *polydag.Result) (json.RawMessage, error)
	// Test tests the graph job.Asked["graph"] against the table in the file at job.Path.
	Test(ctx context.Context, job Job) (json.RawMessage, error)
	// Example returns a table to try as CSV, or nil if there is none with this name.
	Example(name string) []byte
}

// Settings are the settings of a server. Dir, MaxUpload and Backend are required.
type Settings struct {
	Dir string // the folder of results
	// Token, if set, is required from every visitor and allows other hosts. Without it, only requests for
	// loopback names are answered.
	Token string
	// MaxUpload is the largest size of an uploaded table in bytes.
	MaxUpload int64
	// MaxWaiting is the largest number of waiting runs; one runs at a time.
	MaxWaiting int
	Backend    Backend
	// Methods are the methods, and Described is what polydag methods --json prints of them.
	Methods   polydag.MethodList
	Described json.RawMessage
	// Memory is what uploads, runs and exports may take together; one takes at most half of it. nil means no limit.
	Memory *memory.Account
	// CreateTemp creates the files for uploads in the system's temporary folder; nil means os.CreateTemp.
	CreateTemp func(dir, pattern string) (*os.File, error)
}

// Show says how a page is shown.
type Show struct {
	Alone bool // without the link to the list
	Embed bool // self-contained, for a download: the images are part of the page
}

// Validate returns an error that names every invalid setting.
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
	if o.Backend == nil {
		errs = append(errs, errors.New("setting Backend must be set"))
	}
	return errors.Join(errs...)
}

// Server is an http.Handler that serves a folder of results.
type Server struct {
	opt     Settings
	root    *os.Root // prevents access outside the folder, also by links
	runs    *runs
	handler http.Handler

	part struct { // the result that is being written to a temporary file
		sync.Mutex
		name string
		over bool // nothing more is written
	}
	watching  atomic.Int64 // pages that listen to events
	uploading atomic.Int64 // uploads in progress
	checking  atomic.Int64 // data checks in progress
	tables    tables       // checked tables
	pace      pace         // pace of uploads

	pictures  pictures
	decoding  chan struct{} // images that are decoded at the same time
	exporting sync.Mutex    // one export at a time: a picture of a large graph takes memory and time

	known struct { // the files of the folder that are results
		sync.Mutex
		files map[Entry]bool
	}
}

// New opens the folder and starts the worker.
func New(opt Settings) (*Server, error) {
	if err := opt.Validate(); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(opt.Dir)
	if err != nil {
		return nil, fmt.Errorf("cannot open the folder %s: %w; create it first", opt.Dir, err)
	}
	s := &Server{opt: opt, root: root, pace: uploadPace, decoding: make(chan struct{}, maxDecoded)}
	s.runs = newRuns(opt.MaxWaiting, s.methodNames()[0], s.learn)
	mux := http.NewServeMux()
	for pattern, handler := range s.routes() {
		mux.Handle(pattern, handler)
	}
	s.handler = s.guard(mux)
	return s, nil
}

// routes returns all routes. openapi.json describes them, and a test compares the two.
func (s *Server) routes() map[string]http.HandlerFunc {
	return map[string]http.HandlerFunc{
		"GET /{$}":              s.start,
		"GET /examples/{file}":  s.example,
		"GET /openapi.json":     sendDescription,
		"GET /results/{name}":   s.showResult,
		"GET /files/{name}":     s.sendFile,
		"GET /images":           s.image,
		"GET /pictures/{name}":  s.showPicture,
		"GET /exports/{name}":   s.export,
		"GET /compare":          s.compare,
		"GET /events":           s.events,
		"GET /questions/{name}": s.questions,
		"GET /methods":          s.methods,
		"POST /check":           s.check,
		"POST /drivers/{name}":  s.drivers,
		"POST /effects/{name}":  s.effects,
		"POST /test":            s.test,
		"POST /runs":            s.startRun,
		"POST /runs/{id}/stop":  s.stopRun,
	}
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// Close stops the runs, which write their best results so far, and waits for them.
func (s *Server) Close() error {
	s.runs.close()
	s.tables.close()
	return s.root.Close()
}

// Discard is for a process that ends immediately: it removes a partial result and prevents further ones.
func (s *Server) Discard() {
	s.part.Lock()
	defer s.part.Unlock()
	s.part.over = true
	if s.part.name != "" {
		s.root.Remove(s.part.name)
	}
}

// start sends the page that learns from tables.
func (s *Server) start(w http.ResponseWriter, r *http.Request) {
	var page strings.Builder
	if err := s.opt.Backend.Page(r.Context(), &page, Show{}); err != nil {
		refuse(w, http.StatusInternalServerError, "%v", err)
		return
	}
	sendPage(w, &page)
}

// methods sends the methods and their settings.
func (s *Server) methods(w http.ResponseWriter, _ *http.Request) {
	send(w, "application/json", s.opt.Described)
}

// share returns the context of a piece of work with a share of the memory, and a function that ends it.
func (s *Server) share(ctx context.Context) (context.Context, func()) {
	if s.opt.Memory == nil {
		return ctx, func() {}
	}
	ctx, share := s.opt.Memory.Open(ctx, s.opt.Memory.Limit()/2)
	return ctx, share.Close
}

// send sends a body with its content type.
func send(w http.ResponseWriter, kind string, body []byte) {
	w.Header().Set("Content-Type", kind)
	w.Write(body)
}

// description is the OpenAPI description of the routes.
//
//go:embed openapi.json
var description []byte

func sendDescription(w http.ResponseWriter, _ *http.Request) {
	send(w, "application/json", description)
}

// refuse sends a plain-text error and closes the connection.
func refuse(w http.ResponseWriter, code int, format string, args ...any) {
	w.Header().Set("Connection", "close")
	http.NewResponseController(w).SetReadDeadline(time.Now().Add(time.Second)) // fails only for writers without deadlines, as in tests
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(code)
	fmt.Fprintf(w, format+"\n", args...)
}
