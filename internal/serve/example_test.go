package serve_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/internal/serve"
)

// ExampleNew shows how a program passes the functions that learn and write a page.
func ExampleNew() {
	dir, _ := os.MkdirTemp("", "results")
	defer os.RemoveAll(dir)
	s, err := serve.New(serve.Settings{
		Dir: dir, MaxUpload: 1 << 20,
		Check: func(ctx context.Context, job serve.Job) (json.RawMessage, error) {
			return nil, fmt.Errorf("not today: %s", job.Name)
		},
		Learn: func(ctx context.Context, job serve.Job, observe polydag.Observer) (*polydag.Result, error) {
			return nil, fmt.Errorf("not today: %s", job.Name)
		},
		Page: func(ctx context.Context, w io.Writer, name string, res *polydag.Result, show serve.Show) error {
			return nil
		},
	})
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
