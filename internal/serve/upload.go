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
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/solve"
)

// maxUploads is the largest number of concurrent uploads.
const maxUploads = 8

// maxListed is the largest number of columns and edges in a request.
const maxListed = 5000

// These are the choices of the form for text columns, missing values and bootstrap samples, in its order; the
// first is the default.
var (
	encodings = []string{"levels", "onehot", "ordinal", "drop", "error"}
	fillings  = []string{"auto", "drop", "pairwise", "error"}
	samples   = []string{"0", "100", "200"}
)

// startRun accepts a table as the body of the request. ?name= is the name of its file. ?method=, ?encode=,
// ?missing= and ?bootstrap= are settings, and ?column=, ?drop=, ?require= and ?forbid= may be repeated.
func (s *Server) startRun(w http.ResponseWriter, r *http.Request) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		refuse(w, http.StatusBadRequest, "the request is not valid: %v", err)
		return
	}
	job := Job{Name: cleanName(query.Get("name"))}
	var bootstrap string
	for _, choice := range []struct {
		name  string
		value *string
		words []string // the first is the default
	}{
		{"method", &job.Method, methods()},
		{"encode", &job.Encode, encodings},
		{"missing", &job.Missing, fillings},
		{"bootstrap", &bootstrap, samples},
	} {
		if *choice.value = query.Get(choice.name); *choice.value == "" {
			*choice.value = choice.words[0]
		}
		if !slices.Contains(choice.words, *choice.value) {
			refuse(w, http.StatusBadRequest, "%s %q is unknown; choose one of %s", choice.name, *choice.value, strings.Join(choice.words, ", "))
			return
		}
	}
	job.Bootstrap, _ = strconv.Atoi(bootstrap) // one of samples
	job.Columns, job.Drop, job.Require, job.Forbid = query["column"], query["drop"], query["require"], query["forbid"]
	if len(job.Columns)+len(job.Drop)+len(job.Require)+len(job.Forbid) > maxListed {
		refuse(w, http.StatusBadRequest, "more than %d columns and edges; use polydag learn", maxListed)
		return
	}
	if r.ContentLength > s.opt.MaxUpload {
		refuse(w, http.StatusRequestEntityTooLarge, "the table has %d bytes, and this page accepts at most %d; use polydag learn", r.ContentLength, s.opt.MaxUpload)
		return
	}
	if s.uploading.Add(1) > maxUploads {
		s.uploading.Add(-1)
		refuse(w, http.StatusServiceUnavailable, "too many uploads at the same time; try again")
		return
	}
	defer s.uploading.Add(-1)
	body := &paced{ReadCloser: r.Body, pace: s.pace, control: http.NewResponseController(w), now: time.Now, start: time.Now()}
	file, err := s.spool(http.MaxBytesReader(w, body, s.opt.MaxUpload), job.Name)
	var tooLong *http.MaxBytesError
	switch {
	case errors.As(err, &tooLong):
		refuse(w, http.StatusRequestEntityTooLarge, "the table has more than %d bytes, the limit of this page; use polydag learn", s.opt.MaxUpload)
		return
	case err != nil:
		refuse(w, http.StatusBadRequest, "the upload failed: %v; try again", err)
		return
	}
	job.Path = file
	id, err := s.runs.add(job)
	if err != nil {
		os.Remove(file)
		refuse(w, http.StatusServiceUnavailable, "%v", err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusAccepted)
	json.NewEncoder(w).Encode(map[string]string{"id": id})
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
	defer os.Remove(job.Path)
	defer func() {
		if p := recover(); p != nil { // a panic must not end the server; it is reported as a bug
			err = fmt.Errorf("the run ended in a bug: %v; please report it with the table", p)
		}
	}()
	if ctx.Err() != nil {
		return "", true, nil
	}
	res, err := s.opt.Learn(ctx, job, observe)
	if res == nil {
		if ctx.Err() != nil {
			return "", true, nil
		}
		return "", false, err
	}
	stem, _, _ := strings.Cut(job.Name, ".")
	if stem == "" {
		stem = "table"
	}
	name, kerr := s.keep(stem, res)
	return name, res.Status == solve.Canceled, errors.Join(err, kerr)
}
