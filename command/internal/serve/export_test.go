package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/internal/must"
)

// TestExport checks the content types, and the status of formats that are unknown or cannot hold the graph.
func TestExport(t *testing.T) {
	web, dir := start(t, Settings{}, fake{export: func(_ context.Context, w io.Writer, res *polydag.Result, to string) error {
		switch to {
		case "none", "":
			return fmt.Errorf("%w: none", ErrFormat)
		case "bnlearn":
			return errors.New("not a DAG")
		}
		_, err := fmt.Fprintf(w, "%d names as %s", len(res.Names), to)
		return err
	}})
	put(t, filepath.Join(dir, "good.json"), learned(t, "a", "b"))
	for to, want := range map[string]string{"pdf": "application/pdf", "png": "image/png", "svg": "image/svg+xml", "methods": "text/plain; charset=utf-8"} {
		answer := must.Get(http.Get(web.URL + "/exports/good.json?to=" + to))
		text, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if got := answer.Header.Get("Content-Type"); err != nil || answer.StatusCode != 200 || got != want || string(text) != "2 names as "+to || answer.Header.Get("Content-Disposition") != "attachment" {
			t.Errorf("%s: %d, type %q, %q, %v", to, answer.StatusCode, got, text, err)
		}
	}
	for query, want := range map[string]int{"?to=none": 400, "": 400, "?to=bnlearn": 422} {
		if code, _ := get(t, web.URL+"/exports/good.json"+query, nil); code != want {
			t.Errorf("%q: %d, want %d", query, code, want)
		}
	}
}
