package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path"
	"strings"
	"time"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/internal/memory"
	"github.com/polydag/polydag/solve"
)

// maxUploads is the largest number of concurrent uploads.
const maxUploads = 8

// maxListed is the largest number of values of all settings in a request.
const maxListed = 5000

// maxForm is the largest form in bytes with the settings of a table that was sent before.
const maxForm = 1 << 20

// maxChecks is the largest number of concurrent data checks.
const maxChecks = 4

// receive returns the job of a request. ?name= is the name of the file, ?upload= a table that was checked before, and all other
// keys but those in own are settings. Without ?upload= the body is the table; with it the body may be a form with more settings. The
// caller releases job.table.
func (s *Server) receive(w http.ResponseWriter, r *http.Request, own ...string) (job Job, ok bool) {
	settings, err := url.ParseQuery(r.URL.RawQuery)
	upload := settings.Get("upload")
	if err == nil && upload != "" {
		var text []byte
		if text, err = io.ReadAll(http.MaxBytesReader(w, r.Body, maxForm)); err == nil {
			var more url.Values
			more, err = url.ParseQuery(string(text))
			for name, values := range more {
				settings[name] = append(settings[name], values...)
			}
		}
	}
	if err != nil {
		refuse(w, http.StatusBadRequest, "the request is not valid: %v", err)
		return job, false
	}
	job = Job{Name: cleanName(settings.Get("name")), Settings: settings, Asked: url.Values{}}
	for _, key := range own {
		job.Asked[key] = settings[key]
		settings.Del(key)
	}
	for _, key := range []string{"name", "upload", "token"} {
		settings.Del(key)
	}
	listed := 0
	for _, values := range settings {
		listed += len(values)
	}
	if listed > maxListed {
		refuse(w, http.StatusBadRequest, "more than %d columns and edges; use polydag learn", maxListed)
		return job, false
	}
	if err := s.opt.Backend.Accept(settings); err != nil {
		refuse(w, http.StatusBadRequest, "%v", err)
		return job, false
	}
	if upload != "" {
		if job.table = s.tables.use(upload); job.table == nil {
			refuse(w, http.StatusGone, "the server no longer has this table; send it again")
			return job, false
		}
		job.Path, job.Name = job.table.path, job.table.name
		return job, true
	}
	if r.ContentLength > s.opt.MaxUpload {
		refuse(w, http.StatusRequestEntityTooLarge, "the table has %d bytes, and this page accepts at most %d; use polydag learn", r.ContentLength, s.opt.MaxUpload)
		return job, false
	}
	if s.uploading.Add(1) > maxUploads {
		s.uploading.Add(-1)
		refuse(w, http.StatusServiceUnavailable, "too many uploads at the same time; try again")
		return job, false
	}
	defer s.uploading.Add(-1)
	body := &paced{ReadCloser: r.Body, pace: s.pace, control: http.NewResponseController(w), now: time.Now, start: time.Now()}
	job.Path, err = s.spool(http.MaxBytesReader(w, body, s.opt.MaxUpload), job.Name)
	var tooLong *http.MaxBytesError
	switch {
	case errors.As(err, &tooLong):
		refuse(w, http.StatusRequestEntityTooLarge, "the table has more than %d bytes, the limit of this page; use polydag learn", s.opt.MaxUpload)
		return job, false
	case err != nil:
		refuse(w, http.StatusBadRequest, "the upload failed: %v; try again", err)
		return job, false
	}
	job.table = &table{path: job.Path, name: job.Name, uses: 1}
	return job, true
}

// startRun learns from a table.
func (s *Server) startRun(w http.ResponseWriter, r *http.Request) {
	job, ok := s.receive(w, r)
	if !ok {
		return
	}
	id, err := s.runs.add(job)
	if err != nil {
		s.tables.release(job.table)
		refuse(w, http.StatusServiceUnavailable, "%v", err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusAccepted)
	json.NewEncoder(w).Encode(map[string]string{"id": id})
}

// Checked is the answer to a request for data checks. Upload names the table in later requests. Sheets are those of a workbook with
// several, and Sheet is the one that was read. The setting sheet chooses another.
type Checked struct {
	Upload string          `json:"upload"`
	Sheets []string        `json:"sheets,omitempty"`
	Sheet  string          `json:"sheet,omitempty"`
	Check  json.RawMessage `json:"check"`
}

// check runs the data checks of a table and keeps it for later requests.
func (s *Server) check(w http.ResponseWriter, r *http.Request) {
	if s.checking.Add(1) > maxChecks {
		s.checking.Add(-1)
		refuse(w, http.StatusServiceUnavailable, "too many data checks at the same time; try again")
		return
	}
	defer s.checking.Add(-1)
	job, ok := s.receive(w, r)
	if !ok {
		return
	}
	defer s.tables.release(job.table)
	ctx, release := s.share(r.Context())
	defer release()
	text, err := s.opt.Backend.Check(ctx, job)
	if err != nil {
		err = causeOf(ctx, err)
		refuse(w, http.StatusUnprocessableEntity, "%v", err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	answer := Checked{Check: text}
	if b, ok := s.opt.Backend.(interface{ Sheets(Job) []string }); ok {
		if answer.Sheets = b.Sheets(job); answer.Sheets != nil {
			answer.Sheet = job.Settings.Get("sheet")
		}
	}
	answer.Upload = s.tables.add(job.table)
	json.NewEncoder(w).Encode(answer)
}

// causeOf returns the reason for which work was ended because of its memory, or err.
func causeOf(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); errors.Is(cause, memory.ErrLimit) {
		return cause
	}
	return err
}

func (s *Server) stopRun(w http.ResponseWriter, r *http.Request) {
	if !s.runs.stop(r.PathValue("id")) {
		refuse(w, http.StatusNotFound, "no run %q", r.PathValue("id"))
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// spool copies a body to a temporary file with the same extension, which identifies the format.
func (s *Server) spool(body io.Reader, name string) (string, error) {
	create := s.opt.CreateTemp
	if create == nil {
		create = os.CreateTemp
	}
	f, err := create("", "polydag-*-"+name)
	if err != nil {
		return "", err
	}
	n, err := io.Copy(f, body)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil && n == 0 {
		err = errors.New("it is empty")
	}
	if err != nil {
		os.Remove(f.Name())
		return "", err
	}
	return f.Name(), nil
}

// cleanName keeps the safe characters of a visitor's file name: letters, digits, point, dash and underscore of
// its last part, at most 80.
func cleanName(name string) string {
	name = path.Base(strings.ReplaceAll(name, "\\", "/"))
	clean := strings.Map(func(r rune) rune {
		switch {
		case r >= '0' && r <= '9', r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r == '.', r == '-', r == '_':
			return r
		}
		return '_'
	}, name)
	clean = strings.TrimLeft(clean, ".")
	if len(clean) > 80 {
		clean = clean[len(clean)-80:]
	}
	if strings.Trim(clean, "._-") == "" {
		return "table.csv"
	}
	return clean
}

// learn runs one job and stores its result in the folder.
func (s *Server) learn(ctx context.Context, job Job, observe polydag.Observer) (result string, stopped bool, err error) {
	defer s.tables.release(job.table)
	defer func() {
		if p := recover(); p != nil { // a panic must not end the server; it is reported as a bug
			err = fmt.Errorf("the run ended in a bug: %v; please report it with the table", p)
		}
	}()
	if ctx.Err() != nil {
		return "", true, nil
	}
	mine, release := s.share(ctx)
	defer release()
	res, err := s.opt.Backend.Learn(mine, job, observe)
	if res == nil {
		if ctx.Err() != nil {
			return "", true, nil
		}
		return "", false, causeOf(mine, err)
	}
	stem, _, _ := strings.Cut(job.Name, ".")
	if stem == "" {
		stem = "table"
	}
	name, kerr := s.store(stem, res)
	return name, res.Status == solve.Canceled, errors.Join(err, kerr)
}
