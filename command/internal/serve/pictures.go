package serve

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"sync"

	"github.com/polydag/polydag"
)

const (
	maxPictured = 8 << 20 // largest result in bytes with a small picture in the list
	maxPicture  = 1 << 20 // largest picture in bytes
	keptPicture = 256     // number of cached pictures
)

// pictures caches the small pictures of the list, each drawn once per change of its file. They are drawn one at
// a time, so that a large folder does not overload the server.
type pictures struct {
	sync.Mutex
	kept map[Entry][]byte // empty if the result cannot be drawn
}

// showPicture sends a small picture of a result for the list. An export has all edges.
func (s *Server) showPicture(w http.ResponseWriter, r *http.Request) {
	f, ok := s.open(w, r)
	if !ok {
		return
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() > maxPictured {
		refuse(w, http.StatusNotFound, "no picture of %q", r.PathValue("name"))
		return
	}
	picture := s.picture(r, Entry{Name: r.PathValue("name"), Bytes: info.Size(), Modified: info.ModTime().UTC()}, f)
	if len(picture) == 0 {
		refuse(w, http.StatusNotFound, "no picture of %q", r.PathValue("name"))
		return
	}
	send(w, "image/svg+xml", picture)
}

// questions sends the questions whose answers would settle most directions of a result.
func (s *Server) questions(w http.ResponseWriter, r *http.Request) {
	res, ok := s.read(w, r)
	if !ok {
		return
	}
	text, err := s.opt.Backend.Questions(r.Context(), res)
	if err != nil {
		refuse(w, http.StatusUnprocessableEntity, "%v", err)
		return
	}
	send(w, "application/json", text)
}

func (s *Server) picture(r *http.Request, key Entry, f io.Reader) []byte {
	s.pictures.Lock()
	defer s.pictures.Unlock()
	if have, ok := s.pictures.kept[key]; ok {
		return have
	}
	var b bytes.Buffer
	err := r.Context().Err()
	if err == nil {
		var res *polydag.Result
		if res, err = polydag.ReadResult(f); err == nil {
			res.Methods = s.opt.Methods
			err = s.opt.Backend.Picture(r.Context(), &b, res)
		}
	}
	if r.Context().Err() != nil { // the visitor left, so the result may still be drawable
		return nil
	}
	if err != nil || b.Len() > maxPicture {
		b.Reset()
	}
	if s.pictures.kept == nil || len(s.pictures.kept) >= keptPicture {
		s.pictures.kept = map[Entry][]byte{}
	}
	s.pictures.kept[key] = b.Bytes()
	return b.Bytes()
}

// compare sends a page with two results, ?a= and ?b=.
func (s *Server) compare(w http.ResponseWriter, r *http.Request) {
	var both [2]Named
	for k, key := range []string{"a", "b"} {
		name := r.URL.Query().Get(key)
		r.SetPathValue("name", name)
		res, ok := s.read(w, r)
		if !ok {
			return
		}
		both[k] = Named{Name: name, Result: res}
	}
	var page bytes.Buffer
	if err := s.opt.Backend.Page(r.Context(), &page, Show{}, both[:]...); err != nil {
		refuse(w, http.StatusUnprocessableEntity, "%v", err)
		return
	}
	sendPage(w, &page)
}

// Named is a result with the name of its file.
type Named struct {
	Name   string
	Result *polydag.Result
}

// read reads a result by the name in a request, and sends an error if it cannot be shown.
func (s *Server) read(w http.ResponseWriter, r *http.Request) (*polydag.Result, bool) {
	f, ok := s.open(w, r)
	if !ok {
		return nil, false
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > polydag.MaxResultBytes {
		refuse(w, http.StatusRequestEntityTooLarge, "%q is larger than %d MiB, the limit for showing a result; download its JSON from the list", r.PathValue("name"), polydag.MaxResultBytes>>20)
		return nil, false
	}
	res, err := polydag.ReadResult(f)
	if err != nil {
		refuse(w, http.StatusUnprocessableEntity, "%v", err)
		return nil, false
	}
	res.Methods = s.opt.Methods
	return res, true
}

// sendPage sends a page with its own, stricter policy. The workbench shows it in a frame.
func sendPage(w http.ResponseWriter, page fmt.Stringer) {
	w.Header().Set("Content-Security-Policy", "frame-ancestors 'none'") // the page itself has the rest
	send(w, "text/html; charset=utf-8", []byte(page.String()))
}
