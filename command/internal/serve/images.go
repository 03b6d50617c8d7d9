package serve

import (
	"bytes"
	"errors"
	"net/http"
)

// maxDecoded is the largest number of images that are decoded at the same time, which limits the memory.
const maxDecoded = 4

// ErrNoImage is matched by the error of Backend.Image for a name that is not that of an image.
var ErrNoImage = errors.New("no such image")

// image sends a thumbnail of the image ?file=.
func (s *Server) image(w http.ResponseWriter, r *http.Request) {
	file := r.URL.Query().Get("file")
	select {
	case s.decoding <- struct{}{}:
		defer func() { <-s.decoding }()
	case <-r.Context().Done():
		return
	}
	var b bytes.Buffer
	switch err := s.opt.Backend.Image(&b, file); {
	case errors.Is(err, ErrNoImage):
		refuse(w, http.StatusNotFound, "%v", err)
	case err != nil:
		refuse(w, http.StatusUnprocessableEntity, "%q is not shown: %v", file, err)
	default:
		send(w, "image/jpeg", b.Bytes())
	}
}
