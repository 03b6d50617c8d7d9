package serve

import (
	"cmp"
	"errors"
	"net/http"
	"sync"
)

// ErrFormat is matched by the error of Backend.Export for an unknown format.
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
	s.exporting.Lock()
	if r.Context().Err() != nil { // the visitor left
		s.exporting.Unlock()
		return
	}
	to := r.URL.Query().Get("to")
	out := &attachment{w: w, kind: cmp.Or(exported[to], "text/plain; charset=utf-8"), begin: sync.OnceFunc(s.exporting.Unlock)}
	defer out.begin()
	ctx, release := s.share(r.Context())
	defer release()
	switch err := s.opt.Backend.Export(ctx, out, res, to); {
	case err == nil, out.begun: // a visitor who left gets nothing more
	case errors.Is(err, ErrFormat):
		refuse(w, http.StatusBadRequest, "%v", err)
	default:
		refuse(w, http.StatusUnprocessableEntity, "%v", err)
	}
}

// attachment sends what is written to it as a file. It calls begin before the first byte: a format that is written row by row takes
// little memory, and a slow visitor keeps nobody waiting.
type attachment struct {
	w     http.ResponseWriter
	kind  string
	begin func()
	begun bool
}

func (a *attachment) Write(b []byte) (int, error) {
	if !a.begun {
		a.begun = true
		a.begin()
		a.w.Header().Set("Content-Disposition", "attachment")
		a.w.Header().Set("Content-Type", a.kind)
	}
	return a.w.Write(b)
}
