package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/internal/must"
)

// openAPI has the parts of openapi.json that the tests use.
type openAPI struct {
	Paths      map[string]map[string]operation `json:"paths"`
	Components struct {
		Responses map[string]response `json:"responses"`
		Schemas   map[string]struct {
			Properties map[string]any `json:"properties"`
			Required   []string       `json:"required"`
		} `json:"schemas"`
		SecuritySchemes map[string]struct{ Name string } `json:"securitySchemes"`
	} `json:"components"`
}

type operation struct {
	Parameters []struct{ Name, In string } `json:"parameters"`
	Responses  map[string]response         `json:"responses"`
}

type response struct {
	Ref     string         `json:"$ref"`
	Content map[string]any `json:"content"`
}

func described(t *testing.T) openAPI {
	t.Helper()
	var doc openAPI
	must.Succeed(t, json.Unmarshal(description, &doc))
	return doc
}

// TestDescriptionHasEveryRoute checks that every handler is in the file, and every operation of the file has a
// handler.
func TestDescriptionHasEveryRoute(t *testing.T) {
	var inFile, inCode []string
	for path, operations := range described(t).Paths {
		for method := range operations {
			inFile = append(inFile, strings.ToUpper(method)+" "+path)
		}
	}
	for pattern := range (&Server{}).routes() {
		inCode = append(inCode, strings.TrimSuffix(pattern, "{$}"))
	}
	slices.Sort(inFile)
	slices.Sort(inCode)
	if !slices.Equal(inFile, inCode) {
		t.Errorf("openapi.json has\n%s\nthe code has\n%s", strings.Join(inFile, "\n"), strings.Join(inCode, "\n"))
	}
}

// bare is a writer that cannot stream.
type bare struct{ rec *httptest.ResponseRecorder }

func (b bare) Header() http.Header         { return b.rec.Header() }
func (b bare) Write(p []byte) (int, error) { return b.rec.Write(p) }
func (b bare) WriteHeader(code int)        { b.rec.WriteHeader(code) }

// TestDescriptionHasEveryAnswer provokes every status of the file and no other, and checks the type of each
// answer.
func TestDescriptionHasEveryAnswer(t *testing.T) {
	doc := described(t)
	dir := t.TempDir()
	put(t, filepath.Join(dir, "good.json"), learned(t, "a", "b"))
	head := fmt.Sprintf(`{"schema": %q`, polydag.Schema)
	for name, text := range map[string]string{"other.json": "{}", "broken.json": head, "long.json": head} {
		must.Succeed(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	must.Succeed(t, os.Truncate(filepath.Join(dir, "long.json"), polydag.MaxResultBytes+1))
	hold := make(chan struct{})
	opt := Settings{Dir: dir, MaxUpload: 100, Backend: fake{
		accept: func(set url.Values) error {
			if set.Get("method") == "none" {
				return errors.New("no such method")
			}
			return nil
		},
		check: func(_ context.Context, job Job) (json.RawMessage, error) {
			if job.Name == "bad.csv" {
				return nil, errors.New("not a table")
			}
			return json.RawMessage(`{}`), nil
		},
		questions: func(context.Context, *polydag.Result) (json.RawMessage, error) { return json.RawMessage(`{}`), nil },
		drivers: func(_ context.Context, job Job, _ *polydag.Result) (json.RawMessage, error) {
			if job.Asked.Get("of") == "" {
				return nil, errors.New("no outcome")
			}
			return json.RawMessage(`{}`), nil
		},
		test: func(_ context.Context, job Job) (json.RawMessage, error) {
			if job.Asked.Get("graph") == "" {
				return nil, errors.New("no graph")
			}
			return json.RawMessage(`{}`), nil
		},
		learn: func(ctx context.Context, _ Job, _ polydag.Observer) (*polydag.Result, error) {
			select {
			case <-hold:
			case <-ctx.Done():
			}
			return nil, errors.New("nothing")
		},
		page: func(_ context.Context, w io.Writer, _ Show, list ...Named) error {
			if len(list) > 0 && list[0].Name == "refused" {
				return errors.New("no page")
			}
			_, err := io.WriteString(w, "<title>page</title>")
			return err
		},
		picture: func(_ context.Context, w io.Writer, _ *polydag.Result) error {
			_, err := io.WriteString(w, "<svg/>")
			return err
		},
		export: func(_ context.Context, w io.Writer, _ *polydag.Result, to string) error {
			_, err := io.WriteString(w, to)
			return err
		},
		image: func(w io.Writer, file string) error {
			return map[string]error{"good.png": nil, "bad.png": errors.New("damaged"), "none.png": ErrNoImage}[file]
		},
	}}
	put(t, filepath.Join(dir, "refused.json"), learned(t, "a", "b"))
	s := must.Get(New(opt))
	defer s.Close()
	defer close(hold)
	opt.Token = "a token of twenty letters"
	locked := must.Get(New(opt))
	defer locked.Close()

	seen := map[string]bool{}
	ask := func(to *Server, operation, path, body string, want int, change func(*http.Request)) {
		t.Helper()
		method, pattern, _ := strings.Cut(operation, " ")
		r := httptest.NewRequest(method, path, strings.NewReader(body))
		r.Host = "127.0.0.1"
		ctx, cancel := context.WithCancel(context.Background())
		if pattern == "/events" {
			cancel() // it sends the current state and ends
		}
		defer cancel()
		r = r.WithContext(ctx)
		if change != nil {
			change(r)
		}
		rec := httptest.NewRecorder()
		var w http.ResponseWriter = rec
		if want == http.StatusInternalServerError && pattern == "/events" {
			w = bare{rec}
		}
		to.ServeHTTP(w, r)
		if rec.Code != want {
			t.Errorf("%s %s: status %d, want %d: %.100s", method, path, rec.Code, want, rec.Body)
			return
		}
		code := fmt.Sprint(want)
		answer, ok := doc.Paths[pattern][strings.ToLower(method)].Responses[code]
		if !ok {
			t.Errorf("%s: openapi.json has no status %d", operation, want)
			return
		}
		if name, isRef := strings.CutPrefix(answer.Ref, "#/components/responses/"); isRef {
			if answer, ok = doc.Components.Responses[name]; !ok {
				t.Errorf("%s: there is no response %s", operation, name)
			}
		}
		if kind := rec.Header().Get("Content-Type"); len(answer.Content) > 0 && answer.Content[kind] == nil {
			t.Errorf("%s: status %d has the type %q, openapi.json has %v", operation, want, kind, answer.Content)
		}
		seen[operation+" "+code] = true
	}
	names := map[string]string{"{name}": "good.json", "{file}": "demo.csv", "{id}": "1"}
	for path, operations := range doc.Paths {
		for method := range operations {
			operation, real := strings.ToUpper(method)+" "+path, path
			for from, to := range names {
				real = strings.ReplaceAll(real, from, to)
			}
			ask(s, operation, real, "", http.StatusMisdirectedRequest, func(r *http.Request) { r.Host = "example.org" })
			ask(locked, operation, real, "", http.StatusUnauthorized, nil)
			if method == "get" {
				ask(locked, operation, real+"?token="+strings.ReplaceAll(opt.Token, " ", "+"), "", http.StatusSeeOther, nil)
			} else {
				ask(s, operation, real, "", http.StatusForbidden, func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") })
			}
		}
	}
	ask(s, "GET /", "/", "", 200, nil)
	ask(s, "GET /examples/{file}", "/examples/demo.csv", "", 200, nil)
	ask(s, "GET /examples/{file}", "/examples/none.csv", "", 404, nil)
	ask(s, "GET /openapi.json", "/openapi.json", "", 200, nil)
	ask(s, "GET /methods", "/methods", "", 200, nil)
	for file, want := range map[string]int{"good.png": 200, "bad.png": 422, "none.png": 404} {
		ask(s, "GET /images", "/images?file="+file, "", want, nil)
	}
	for _, path := range []string{"/results/", "/files/", "/pictures/", "/questions/", "/exports/"} {
		ask(s, "GET "+path+"{name}", path+"good.json", "", 200, nil)
		ask(s, "GET "+path+"{name}", path+"other.json", "", 400, nil)
		ask(s, "GET "+path+"{name}", path+"none.json", "", 404, nil)
	}
	for _, path := range []string{"/results/", "/questions/", "/exports/"} {
		ask(s, "GET "+path+"{name}", path+"long.json", "", 413, nil)
		ask(s, "GET "+path+"{name}", path+"broken.json", "", 422, nil)
	}
	ask(s, "GET /results/{name}", "/results/refused.json", "", 500, nil)
	for other, want := range map[string]int{"good.json": 200, "other.json": 400, "none.json": 404, "long.json": 413, "broken.json": 422} {
		ask(s, "GET /compare", "/compare?a=good.json&b="+other, "", want, nil)
	}
	ask(s, "GET /events", "/events", "", 200, nil)
	ask(s, "GET /events", "/events", "", 500, nil)
	s.watching.Store(maxListeners)
	ask(s, "GET /events", "/events", "", 503, nil)
	if got := s.watching.Load(); got != maxListeners {
		t.Errorf("%d pages are watching after one was refused, want %d", got, maxListeners)
	}
	for _, path := range []string{"/runs", "/check", "/test", "/drivers/{name}", "/effects/{name}"} {
		real := strings.Replace(path, "{name}", "good.json", 1)
		ask(s, "POST "+path, real+"?method=none", "a\n1\n", 400, nil)
		ask(s, "POST "+path, real, strings.Repeat("1\n", 100), 413, nil)
		ask(s, "POST "+path, real+"?upload=none", "", 410, nil)
	}
	ask(s, "POST /drivers/{name}", "/drivers/none.json?of=a", "a\n1\n", 404, nil)
	ask(s, "POST /effects/{name}", "/effects/none.json", "a\n1\n", 404, nil)
	ask(s, "POST /effects/{name}", "/effects/good.json?name=bad.csv", "a\n1\n", 422, nil)
	ask(s, "POST /effects/{name}", "/effects/good.json", "a\n1\n", 200, nil)
	ask(s, "POST /drivers/{name}", "/drivers/good.json", "a\n1\n", 422, nil)
	ask(s, "POST /drivers/{name}", "/drivers/good.json?of=a&by=b", "a\n1\n", 200, nil)
	ask(s, "POST /test", "/test", "a\n1\n", 422, nil)
	ask(s, "POST /test", "/test?graph=from,to", "a\n1\n", 200, nil)
	ask(s, "POST /check", "/check?name=bad.csv", "a\n1\n", 422, nil)
	ask(s, "POST /check", "/check?name=a.csv", "a\n1\n", 200, nil)
	ask(s, "POST /runs", "/runs?name=a.csv", "a\n1\n", 202, nil)
	s.uploading.Store(maxUploads)
	ask(s, "POST /runs", "/runs", "a\n1\n", 503, nil)
	s.checking.Store(maxChecks)
	for _, path := range []string{"/check", "/test", "/drivers/{name}", "/effects/{name}"} {
		ask(s, "POST "+path, strings.Replace(path, "{name}", "good.json", 1), "a\n1\n", 503, nil)
	}
	ask(s, "POST /runs/{id}/stop", "/runs/1/stop", "", 204, nil)
	ask(s, "POST /runs/{id}/stop", "/runs/99/stop", "", 404, nil)
	for path, operations := range doc.Paths {
		for method, o := range operations {
			for code := range o.Responses {
				if key := strings.ToUpper(method) + " " + path + " " + code; !seen[key] {
					t.Errorf("%s is in openapi.json and was not answered", key)
				}
			}
			for _, p := range o.Parameters {
				if p.In == "path" && !strings.Contains(path, "{"+p.Name+"}") {
					t.Errorf("%s has no place for %s", path, p.Name)
				}
			}
		}
	}
}

// TestDescriptionHasEveryKey checks that the objects of the file have the keys of the types that are sent.
func TestDescriptionHasEveryKey(t *testing.T) {
	doc := described(t)
	for name, typ := range map[string]reflect.Type{
		"Snapshot": reflect.TypeFor[Snapshot](), "Entry": reflect.TypeFor[Entry](), "Run": reflect.TypeFor[Run](), "Course": reflect.TypeFor[Course](), "Checked": reflect.TypeFor[Checked](),
	} {
		var all, always []string
		for _, f := range reflect.VisibleFields(typ) {
			key, options, _ := strings.Cut(f.Tag.Get("json"), ",")
			if key == "" {
				continue
			}
			all = append(all, key)
			if !strings.Contains(options, "omit") {
				always = append(always, key)
			}
		}
		var keys []string
		for key := range doc.Components.Schemas[name].Properties {
			keys = append(keys, key)
		}
		required := slices.Clone(doc.Components.Schemas[name].Required)
		for _, list := range [][]string{all, always, keys, required} {
			slices.Sort(list)
		}
		if !slices.Equal(all, keys) || !slices.Equal(always, required) {
			t.Errorf("%s: openapi.json has %v, of which %v always; the type has %v, %v", name, keys, required, all, always)
		}
	}
	if got := doc.Components.SecuritySchemes["cookie"].Name; got != cookie {
		t.Errorf("the cookie is called %q in openapi.json and %q here", got, cookie)
	}
}
