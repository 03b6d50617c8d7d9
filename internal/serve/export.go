package serve

import (
	"bytes"
	"cmp"
	"errors"
	"net/http"
)

// ErrFormat is matched by the error of Settings.Export for an unknown format.
var ErrFormat = errors.New("unknown format")

// exported are the content types of the formats that are not plain text.
var exported = map[string]string{
	"svg": "image/svg+xml", "png": "image/png", "pdf": "application/pdf", "json": "application/json", "npy": "application/octet-stream",
}

// export sends a result in the format ?to= of polydag convert, such as pdf or graphml.
func (s *Server) export(w http.ResponseWriter, r *http.Request) {
	res, ok := s.read(w, r)
	if !ok {
		return
	}
	if s.opt.Export == nil {
		refuse(w, http.StatusNotFound, "this server does not export results")
		return
	}
	s.exporting.Lock()
	defer s.exporting.Unlock()
	if r.Context().Err() != nil { // the visitor left
		return
	}
	to := r.URL.Query().Get("to")
	var b bytes.Buffer
	if err := s.opt.Export(r.Context(), &b, res, to); err != nil {
		code := http.StatusUnprocessableEntity
		if errors.Is(err, ErrFormat) {
			code = http.StatusBadRequest
		}
		refuse(w, code, "%v", err)
		return
	}
	w.Header().Set("Content-Disposition", "attachment")
	send(w, cmp.Or(exported[to], "text/plain; charset=utf-8"), b.Bytes())
}
