//go:build !js

package command

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/knowledge"
	"github.com/polydag/polydag/lab"
)

// asks runs polydag questions on a graph with three undirected edges against a server that replies with reply(n, first, second), where n counts
// the requests and the others are the columns of a request. It returns the exit code, the text and the knowledge file, empty without one.
func asks(t *testing.T, reply func(stop func(), n int, first, second string) (status int, content string), args ...string) (code int, said, file string) {
	t.Helper()
	dir := t.TempDir()
	data, result, output := filepath.Join(dir, "data.csv"), filepath.Join(dir, "first.json"), filepath.Join(dir, "known.json")
	for _, line := range [][]string{{"demo", "--save", data}, {"learn", data, "--set", "variance=unequal", "--output", result, "--quiet"}} {
		must.Same(t, newApp(lab.All, strings.NewReader(""), io.Discard, io.Discard, allWings...).run(t.Context(), line), exitOK, line[0])
	}
	var out bytes.Buffer
	a := newApp(lab.All, strings.NewReader(""), &out, &out, allWings...)
	a.environ = []string{envAskKey + "=secret-key"}
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := func() { cancel(errInterrupted) }
	defer stop()
	n := 0
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var v struct{ Messages []struct{ Content string } }
		var columns struct {
			A, B struct{ Name, Description string }
		}
		if json.NewDecoder(r.Body).Decode(&v) != nil || len(v.Messages) != 2 || json.Unmarshal([]byte(v.Messages[1].Content), &columns) != nil || r.Header.Get("Authorization") != "Bearer secret-key" {
			t.Error("the request is not one of questions")
		}
		status, content := reply(stop, n, columns.A.Name+columns.A.Description, columns.B.Name+columns.B.Description)
		n++
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"choices": [{"message": {"content": %s}}]}`, must.Get(json.Marshal(content)))
	}))
	defer h.Close()
	code = a.run(ctx, append([]string{"questions", result, "--ask", h.URL, "--set", "ask-model=stub", "--output", output}, args...))
	text, err := os.ReadFile(output)
	if err == nil {
		spec := must.Get(knowledge.ReadSpec(bytes.NewReader(text)))
		source := spec.Sources["stub at "+h.URL+"/v1"]
		if len(source) == 0 || len(source) != len(spec.Prior) || len(source)%2 != 0 {
			t.Errorf("sources %v of the priors %v", spec.Sources, spec.Prior)
		}
		if next := newApp(lab.All, strings.NewReader(""), io.Discard, &out, allWings...).run(t.Context(), []string{"learn", data, "--knowledge", output, "--output", result, "--quiet"}); next != exitOK {
			t.Errorf("learn reads %s with exit code %d", text, next)
		}
		if recorded := must.Get(os.ReadFile(result)); !bytes.Contains(recorded, []byte("stub at "+h.URL)) {
			t.Error("the result does not name the source")
		}
	}
	if said = out.String(); strings.Contains(said+string(text), "secret-key") {
		t.Error("the key is shown")
	}
	return code, said, string(text)
}

// causal answers that the column whose name comes first in the alphabet is the cause.
func causal(first, second string) string {
	if first < second {
		return `{"answer": "A causes B"}`
	}
	return `{"answer": "B causes A"}`
}

func TestAskServer(t *testing.T) {
	code, said, file := asks(t, func(_ func(), _ int, a, b string) (int, string) { return 200, causal(a, b) })
	if code != exitOK || strings.Count(said, "  0.9  ") != 4 || strings.Count(file, "=0.6\"") != 8 || !strings.Contains(said, "has not measured how often") ||
		!strings.Contains(said, "about 4 of 4 undecided edges") || !strings.Contains(said, "--knowledge") {
		t.Errorf("code %d:\n%s\n%s", code, said, file)
	}
}

// An answer that is unknown or not an answer gives no prior, and its control characters are escaped.
func TestAskServerKeepsConsistentAnswers(t *testing.T) {
	code, said, file := asks(t, func(_ func(), n int, a, b string) (int, string) {
		switch n {
		case 0:
			return 200, `{"answer": "unknown"}`
		case 4:
			return 200, "\x1b[2J"
		}
		return 200, causal(a, b)
	})
	if code != exitOK || strings.Count(said, "  0.9  ") != 2 || strings.Count(file, "=0.6\"") != 4 || strings.Contains(said, "\x1b") || !strings.Contains(said, ": unknown\n") {
		t.Errorf("code %d:\n%q\n%s", code, said, file)
	}
}

// A run that ends early writes the answers that it has.
func TestAskServerEndsEarly(t *testing.T) {
	for name, c := range map[string]struct {
		reply func(stop func()) (int, string)
		after int // requests that are answered
		code  int
		said  string
		file  bool
	}{
		"interrupted": {func(stop func()) (int, string) { stop(); return 200, "" }, 2, exitUnconverged, "polydag: interrupted; the answers about 1 of 4 edges are in", true},
		"refused":     {func(func()) (int, string) { return 403, "" }, 4, exitUnconverged, "the server answers 403 Forbidden; check the key in the environment; the answers about 2 of 4", true},
		"at once":     {func(func()) (int, string) { return 401, "" }, 0, exitFailure, "401 Unauthorized; check the key", false},
		"stopped":     {func(stop func()) (int, string) { stop(); return 200, "" }, 0, exitFailure, "interrupted; nothing was written", false},
		"prose":       {func(func()) (int, string) { return 200, "I cannot say." }, 0, exitFailure, "the model gave no usable reply", false},
		"unknown":     {func(func()) (int, string) { return 200, `{"answer": "neither"}` }, 0, exitOK, "No answer gives a direction: no file was written.", false},
	} {
		t.Run(name, func(t *testing.T) {
			code, said, file := asks(t, func(stop func(), n int, first, second string) (int, string) {
				if n < c.after {
					return 200, causal(first, second)
				}
				return c.reply(stop)
			})
			if code != c.code || !strings.Contains(strings.Join(strings.Fields(said), " "), c.said) || (file != "") != c.file {
				t.Errorf("code %d:\n%s\n%s", code, said, file)
			}
		})
	}
}

// --set most=limits the edges, and descriptions are sent with the names.
func TestAskServerSendsDescriptions(t *testing.T) {
	file := filepath.Join(t.TempDir(), "described.json")
	must.Succeed(t, os.WriteFile(file, []byte(`{"mist": ", of the person", "other": "not in the result"}`), 0o600))
	var got []string
	code, said, _ := asks(t, func(_ func(), _ int, a, b string) (int, string) {
		got = append(got, a, b)
		return 200, causal(a, b)
	}, "--set", "most=1", "--set", "descriptions="+file)
	if want := "mist, of the person dry_soil dry_soil mist, of the person"; code != exitOK || strings.Join(got, " ") != want {
		t.Errorf("code %d, sent %q:\n%s", code, got, said)
	}
}
