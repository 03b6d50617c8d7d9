package serve_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"

	"github.com/polydag/polydag/command/internal/serve"
)

// reader shows results and learns nothing.
type reader struct{ serve.Backend }

func (reader) Page(_ context.Context, w io.Writer, _ serve.Show, results ...serve.Named) error {
	_, err := fmt.Fprintln(w, len(results), "results") // none: the page that learns from tables
	return err
}

// ExampleNew shows how a program passes what it does for visitors.
func ExampleNew() {
	dir, _ := os.MkdirTemp("", "results")
	defer os.RemoveAll(dir)
	s, err := serve.New(serve.Settings{Dir: dir, MaxUpload: 1 << 20, Backend: reader{}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	for _, host := range []string{"localhost", "evil.example"} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Host = host
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		fmt.Println(host, w.Code)
	}
	// Output:
	// localhost 200
	// evil.example 421
}
