package serve

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/order"
	"github.com/polydag/polydag/solve"
)

// learned is a small result over the given names.
func learned(t *testing.T, names ...string) *polydag.Result {
	t.Helper()
	x := matrix.New[float64](20, len(names))
	for i := range x.Data {
		x.Data[i] = float64((i*7919 + i*i*31) % 97)
	}
	m := must.Get(dataset.MomentsOf(names, x, 1))
	res := must.Get(polydag.FromMoments(m).Learn(context.Background(), polydag.DefaultConfig(), polydag.Run{}))
	return res
}

// start serves an empty folder next to one with a secret, with the functions of the test.
func start(t *testing.T, opt Settings, with ...fake) (*httptest.Server, string) {
	t.Helper()
	base := t.TempDir()
	dir := filepath.Join(base, "results")
	must.Succeed(t, os.Mkdir(dir, 0o755))
	must.Succeed(t, os.WriteFile(filepath.Join(base, "secret.json"), []byte("secret"), 0o644))
	opt.Dir = dir
	if opt.MaxUpload == 0 {
		opt.MaxUpload = 1 << 20
	}
	own := fake{}
	if len(with) > 0 {
		own = with[0]
	}
	if own.accept == nil {
		own.accept = func(set url.Values) error {
			if set.Get("method") == "" {
				return nil
			}
			_, err := opt.Methods.Find(set.Get("method"))
			return err
		}
	}
	if own.learn == nil {
		own.learn = func(context.Context, Job, polydag.Observer) (*polydag.Result, error) {
			return learned(t, "a", "b"), nil
		}
	}
	opt.Backend = own
	s := must.Get(New(opt))
	web := httptest.NewServer(s)
	t.Cleanup(func() {
		web.CloseClientConnections()
		s.Close()
		web.Close()
	})
	return web, dir
}

func get(t *testing.T, url string, change func(*http.Request)) (int, string) {
	t.Helper()
	return do(t, "GET", url, nil, change)
}

func do(t *testing.T, method, url string, body io.Reader, change func(*http.Request)) (int, string) {
	t.Helper()
	req := must.Get(http.NewRequest(method, url, body))
	if change != nil {
		change(req)
	}
	res := must.Get(http.DefaultTransport.RoundTrip(req))
	defer res.Body.Close()
	text := must.Get(io.ReadAll(res.Body))
	return res.StatusCode, string(text)
}

func put(t *testing.T, path string, res *polydag.Result) {
	t.Helper()
	text := must.Get(json.Marshal(res))
	must.Succeed(t, os.WriteFile(path, text, 0o644))
}

func TestNothingOutsideTheFolder(t *testing.T) {
	web, dir := start(t, Settings{})
	put(t, filepath.Join(dir, "good.json"), learned(t, "a", "b"))
	if err := os.Symlink(filepath.Join("..", "secret.json"), filepath.Join(dir, "link.json")); err != nil {
		t.Skipf("this system has no links: %v", err)
	}
	if code, text := get(t, web.URL+"/results/good.json", nil); code != 200 || !strings.Contains(text, "page of good, 2 columns") {
		t.Fatalf("the good result: %d %s", code, text)
	}
	if _, text := get(t, web.URL+"/results/good.json?alone=true", nil); !strings.Contains(text, "alone: true") {
		t.Errorf("a page without the list: %s", text)
	}
	for _, path := range []string{
		"/results/../secret.json", "/results/..%2fsecret.json", "/results/%2e%2e%2fsecret.json", "/files/..%2fsecret.json",
		"/files/..%5csecret.json", "/files/%2e%2e/secret.json", "/files/link.json", "/results/link.json", "/files/.hidden.json",
		"/files/good.json%00.html", "/files/%2fetc%2fpasswd", "/examples/../server.go", "/examples/..%2fserver.go", "/files/",
	} {
		code, text := get(t, web.URL+path, nil)
		if code == 200 || strings.Contains(text, "secret\n") || strings.Contains(text, "root:") || strings.TrimSpace(text) == "secret" {
			t.Errorf("%s: %d %.60q", path, code, text)
		}
	}
}

func TestOtherHostsAndSites(t *testing.T) {
	web, _ := start(t, Settings{})
	for host, want := range map[string]int{
		"localhost": 200, "localhost:8080": 200, "127.0.0.1:1": 200, "[::1]:8080": 200, "127.8.9.1": 200,
		"evil.example": 421, "evil.example:80": 421, "127.0.0.1.evil.example": 421, "localhost.evil.example": 421, "10.0.0.1": 421, "": 200,
	} {
		code, _ := get(t, web.URL+"/", func(r *http.Request) { r.Host = host })
		if code != want {
			t.Errorf("Host %q: %d, want %d", host, code, want)
		}
	}
	post := func(change func(*http.Request)) int {
		code, _ := do(t, "POST", web.URL+"/runs?name=x.csv", strings.NewReader("a,b\n1,2\n"), change)
		return code
	}
	for name, change := range map[string]func(*http.Request){
		"other origin": func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") },
		"other site":   func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") },
		"null origin":  func(r *http.Request) { r.Header.Set("Origin", "null") },
	} {
		if code := post(change); code != http.StatusForbidden {
			t.Errorf("%s: %d, want 403", name, code)
		}
	}
	if code := post(func(r *http.Request) { r.Header.Set("Origin", web.URL) }); code != http.StatusAccepted {
		t.Errorf("own origin: %d, want 202", code)
	}
}

func TestToken(t *testing.T) {
	web, _ := start(t, Settings{Token: "sesame"})
	for path, want := range map[string]int{"/": 401, "/?token=wrong": 401, "/?token=": 401, "/events": 401, "/examples/demo.csv": 401, "/?token=sesame": 303} {
		if code, _ := get(t, web.URL+path, func(r *http.Request) { r.Host = "work.example" }); code != want {
			t.Errorf("%s: %d, want %d", path, code, want)
		}
	}
	code, _ := get(t, web.URL+"/", func(r *http.Request) { r.AddCookie(&http.Cookie{Name: cookie, Value: "sesame"}) })
	if code != 200 {
		t.Errorf("with the cookie: %d", code)
	}
	// Browsers send cookies to every port of a host, so each port has its own cookie.
	for _, port := range []string{"8137", "8138"} {
		r := httptest.NewRequest("GET", "/?token=sesame", nil)
		r.Host = "127.0.0.1:" + port
		w := httptest.NewRecorder()
		web.Config.Handler.ServeHTTP(w, r)
		if list := w.Result().Cookies(); len(list) != 1 || list[0].Name != cookie+"_"+port {
			t.Errorf("port %s: cookies %v", port, list)
		}
	}
	if code, _ := do(t, "POST", web.URL+"/runs?name=a.csv", strings.NewReader("x"), nil); code != 401 {
		t.Errorf("a post without the token: %d", code)
	}
}

func TestUploadLimits(t *testing.T) {
	web, dir := start(t, Settings{MaxUpload: 1000})
	if code, text := do(t, "POST", web.URL+"/runs?name=a.csv", strings.NewReader(strings.Repeat("x", 1001)), nil); code != 413 {
		t.Errorf("a long table: %d %s", code, text)
	}
	// A body of unknown length is cut off on the way.
	if code, text := do(t, "POST", web.URL+"/runs?name=a.csv", io.LimitReader(endless{}, 1<<20), nil); code != 413 {
		t.Errorf("a long table of unknown length: %d %s", code, text)
	}
	if code, _ := do(t, "POST", web.URL+"/runs?name=a.csv", strings.NewReader(""), nil); code != 400 {
		t.Errorf("an empty table: %d", code)
	}
	if code, _ := do(t, "POST", web.URL+"/runs?name=a.csv&method=magic", strings.NewReader("x"), nil); code != 400 {
		t.Errorf("an unknown method: %d", code)
	}
	if code, _ := do(t, "PUT", web.URL+"/files/good.json", strings.NewReader("x"), nil); code != 405 {
		t.Errorf("PUT: %d", code)
	}
	if files, _ := os.ReadDir(dir); len(files) != 0 {
		t.Errorf("the folder has %v", files)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func TestCleanName(t *testing.T) {
	for in, want := range map[string]string{
		"data.csv": "data.csv", "../../etc/passwd": "passwd", `C:\x\y.csv`: "y.csv", "a b?.csv": "a_b_.csv", "": "table.csv",
		"..": "table.csv", ".hidden.csv": "hidden.csv", "日本.csv": "__.csv", strings.Repeat("x", 300) + ".csv": strings.Repeat("x", 76) + ".csv",
	} {
		must.Same(t, cleanName(in), want, in)
	}
}

// listen reads snapshots until one satisfies want.
func listen(t *testing.T, base string, want func(Snapshot) bool) Snapshot {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	req, _ := http.NewRequestWithContext(ctx, "GET", base+"/events", nil)
	res := must.Get(http.DefaultClient.Do(req))
	defer res.Body.Close()
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		text, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		var s Snapshot
		must.Succeed(t, json.Unmarshal([]byte(text), &s))
		if want(s) {
			return s
		}
	}
	t.Fatalf("the events ended: %v", lines.Err())
	return Snapshot{}
}

func TestARunFromDropToResult(t *testing.T) {
	hold := make(chan struct{})
	web, dir := start(t, Settings{MaxWaiting: 1}, fake{learn: func(ctx context.Context, job Job, observe polydag.Observer) (*polydag.Result, error) {
		text, err := os.ReadFile(job.Path)
		if err != nil || string(text) != "a,b\n1,2\n" {
			return nil, fmt.Errorf("the table is %q, %v", text, err)
		}
		observe(polydag.Progress{Stage: "order", Step: 3, Steps: 9, Edges: 2, Score: 1.5})
		res := learned(t, "a", "b")
		select {
		case <-hold:
		case <-ctx.Done():
			res.Status = solve.Canceled
		}
		return res, nil
	}})
	drop := func() int {
		code, _ := do(t, "POST", web.URL+"/runs?name="+url.QueryEscape("my data.csv"), strings.NewReader("a,b\n1,2\n"), nil)
		return code
	}
	if code := drop(); code != 202 {
		t.Fatalf("first drop: %d", code)
	}
	s := listen(t, web.URL, func(s Snapshot) bool { return len(s.Runs) == 1 && s.Runs[0].Step == 3 })
	if r := s.Runs[0]; r.State != Running || r.Name != "my_data.csv" || r.Stage != "order" || r.Edges != 2 {
		t.Errorf("the run is %+v", r)
	}
	codes := []int{drop(), drop(), drop()}
	if codes[0] != 202 || codes[2] != 503 {
		t.Errorf("with one waiting place: %v, want 202 first and 503 last", codes)
	}
	if code, _ := do(t, "POST", web.URL+"/runs/1/stop", nil, nil); code != 204 {
		t.Errorf("stop: %d", code)
	}
	s = listen(t, web.URL, func(s Snapshot) bool {
		return len(s.Results) == 1 && s.Runs[len(s.Runs)-1].State == Stopped
	})
	if s.Results[0].Name != "my_data.json" || s.Runs[len(s.Runs)-1].Result != "my_data.json" {
		t.Errorf("results %v, runs %v", s.Results, s.Runs)
	}
	close(hold)
	listen(t, web.URL, func(s Snapshot) bool { return len(s.Results) >= 2 && s.Runs[0].State == Done })
	f := must.Get(os.Open(filepath.Join(dir, "my_data-2.json")))
	defer f.Close()
	if _, err := polydag.ReadResult(f); err != nil {
		t.Error(err)
	}
}

func TestAFailingTableDoesNotEndTheServer(t *testing.T) {
	n := 0
	web, _ := start(t, Settings{MaxWaiting: 3}, fake{learn: func(context.Context, Job, polydag.Observer) (*polydag.Result, error) {
		n++
		switch n {
		case 1:
			return nil, fmt.Errorf("row 3: <img src=x onerror=alert(1)>")
		case 2:
			panic("a bug")
		}
		return learned(t, "a", "b"), nil
	}})
	for range 3 {
		do(t, "POST", web.URL+"/runs?name=a.csv", strings.NewReader("x"), nil)
	}
	s := listen(t, web.URL, func(s Snapshot) bool { return len(s.Runs) == 3 && s.Runs[0].State == Done })
	if s.Runs[2].State != Failed || !strings.Contains(s.Runs[2].Error, "onerror") || s.Runs[1].State != Failed || !strings.Contains(s.Runs[1].Error, "bug") {
		t.Errorf("the runs are %+v", s.Runs)
	}
}

func TestARunElsewhereIsShown(t *testing.T) {
	web, dir := start(t, Settings{})
	must.Succeed(t, os.WriteFile(filepath.Join(dir, "x"+progressSuffix), []byte(`{"name":"x.csv","state":"running","step":5}`), 0o644))
	must.Succeed(t, os.WriteFile(filepath.Join(dir, "y"+progressSuffix), []byte(`{"name":`), 0o644))
	s := listen(t, web.URL, func(s Snapshot) bool { return len(s.Elsewhere) == 1 })
	if len(s.Results) != 0 {
		t.Errorf("a progress file is listed as a result: %v", s.Results)
	}
}

// TestResultsTooLargeToShow checks that one limit applies to pages and to the list. A larger result is listed
// and can be downloaded, but its page is refused with the reason.
func TestResultsTooLargeToShow(t *testing.T) {
	web, dir := start(t, Settings{})
	for name, size := range map[string]int64{"fits.json": polydag.MaxResultBytes, "large.json": polydag.MaxResultBytes + 1} {
		path := filepath.Join(dir, name)
		must.Succeed(t, os.WriteFile(path, []byte(`{"schema":"`+polydag.Schema+`"`), 0o644))
		if err := os.Truncate(path, size); err != nil { // a hole, which takes no room on the disk
			t.Fatal(err)
		}
	}
	s := listen(t, web.URL, func(s Snapshot) bool { return len(s.Results) == 2 })
	for _, r := range s.Results {
		if r.TooLarge != (r.Name == "large.json") {
			t.Errorf("%s of %d bytes is listed with too_large %v, the limit is %d", r.Name, r.Bytes, r.TooLarge, s.MaxResult)
		}
	}
	if code, text := get(t, web.URL+"/results/large.json", nil); code != http.StatusRequestEntityTooLarge || !strings.Contains(text, "128 MiB") {
		t.Errorf("%d %s", code, text)
	}
}

// TestTenThousandConnections checks that short-lived and idle connections do not prevent a run from finishing.
func TestTenThousandConnections(t *testing.T) {
	web, _ := start(t, Settings{})
	address := web.Listener.Addr().String()
	opened := 0
	for i := range 10_000 {
		c, err := net.Dial("tcp", address)
		if err != nil {
			continue // refused is fine
		}
		opened++
		if i%3 == 0 {
			fmt.Fprint(c, "GET / HTTP/1.1\r\nHost: local")
		}
		c.Close()
	}
	if opened < 5000 {
		t.Errorf("only %d connections were opened: the test says little", opened)
	}
	if code, _ := do(t, "POST", web.URL+"/runs?name=a.csv", strings.NewReader("x"), nil); code != 202 {
		t.Errorf("a drop afterwards: %d", code)
	}
	listen(t, web.URL, func(s Snapshot) bool { return len(s.Results) == 1 })
}

// TestStopInLineAndOtherFiles checks that a stopped waiting run reports it at once, and that other JSON files
// of the folder stay.
func TestStopInLineAndOtherFiles(t *testing.T) {
	hold := make(chan struct{})
	web, dir := start(t, Settings{MaxWaiting: 2}, fake{learn: func(ctx context.Context, _ Job, _ polydag.Observer) (*polydag.Result, error) {
		<-hold
		return learned(t, "a", "b"), nil
	}})
	must.Succeed(t, os.WriteFile(filepath.Join(dir, "account.json"), []byte(`{"client_secret": "hunter2"}`), 0o644))
	for range 2 {
		do(t, "POST", web.URL+"/runs?name=a.csv", strings.NewReader("x"), nil)
	}
	do(t, "POST", web.URL+"/runs/2/stop", nil, nil)
	s := listen(t, web.URL, func(s Snapshot) bool { return len(s.Runs) == 2 && s.Runs[0].State == Stopped })
	if len(s.Results) != 0 {
		t.Errorf("listed as results: %v", s.Results)
	}
	if code, text := get(t, web.URL+"/files/account.json", nil); code != 400 || strings.Contains(text, "hunter2") {
		t.Errorf("another file: %d %s", code, text)
	}
	close(hold)
	s = listen(t, web.URL, func(s Snapshot) bool { return len(s.Results) == 1 && s.Runs[1].State == Done })
	if s.Runs[0].State != Stopped || len(s.Results) != 1 {
		t.Errorf("runs %v, results %v", s.Runs, s.Results)
	}
}

// TestUploadsThatStall checks that stalled uploads only take their own slots.
func TestUploadsThatStall(t *testing.T) {
	web, _ := start(t, Settings{})
	for range maxUploads {
		c := must.Get(net.Dial("tcp", web.Listener.Addr().String()))
		defer c.Close()
		fmt.Fprint(c, "POST /runs?name=a.csv HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nabc")
	}
	for deadline := time.Now().Add(10 * time.Second); ; {
		code, _ := do(t, "POST", web.URL+"/runs?name=a.csv", strings.NewReader("x"), nil)
		if code == 503 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("a ninth upload is taken")
		}
	}
	if code, _ := get(t, web.URL+"/", nil); code != 200 {
		t.Errorf("the list: %d", code)
	}
}

func TestHeaders(t *testing.T) {
	web, _ := start(t, Settings{})
	res := must.Get(http.Get(web.URL + "/methods"))
	res.Body.Close()
	for name, part := range map[string]string{"Content-Security-Policy": "default-src 'none'", "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer"} {
		if !strings.Contains(res.Header.Get(name), part) {
			t.Errorf("%s is %q", name, res.Header.Get(name))
		}
	}
}

// idle are settings of a server that learns nothing.
func idle(dir string) Settings {
	return Settings{Dir: dir, MaxUpload: 1, Backend: fake{}}
}

func TestOptions(t *testing.T) {
	if err := (Settings{MaxWaiting: -1}).Validate(); err == nil || strings.Count(err.Error(), "\n") != 3 {
		t.Errorf("four faults, got %v", err)
	}
	if _, err := New(idle(filepath.Join(t.TempDir(), "none"))); err == nil || !strings.Contains(err.Error(), "create it first") {
		t.Errorf("a folder that is not there: %v", err)
	}
}

// TestDiscard checks that a process that ends at once leaves no partial result.
func TestDiscard(t *testing.T) {
	dir := t.TempDir()
	s := must.Get(New(idle(dir)))
	defer s.Close()
	f := must.Get(s.begin(".table.json.part")) // a result is being written
	f.Close()
	s.Discard()
	if name, err := s.store("table", learned(t, "a", "b")); err == nil {
		t.Errorf("%s was written after the end", name)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestPictures checks that a picture is drawn once per change of its file, and that a result that cannot be
// drawn does not affect the list.
func TestPictures(t *testing.T) {
	drawn := 0
	web, dir := start(t, Settings{}, fake{picture: func(_ context.Context, w io.Writer, res *polydag.Result) error {
		drawn++
		if len(res.Names) > 2 {
			return errors.New("too many")
		}
		_, err := fmt.Fprintf(w, "<svg>%d</svg>", drawn)
		return err
	}})
	path := filepath.Join(dir, "good.json")
	put(t, path, learned(t, "a", "b"))
	for range 3 {
		if code, text := get(t, web.URL+"/pictures/good.json", nil); code != 200 || text != "<svg>1</svg>" {
			t.Errorf("%d %s", code, text)
		}
	}
	must.Succeed(t, os.Chtimes(path, time.Time{}, time.Now().Add(time.Hour)))
	if code, text := get(t, web.URL+"/pictures/good.json", nil); code != 200 || text != "<svg>2</svg>" {
		t.Errorf("after a change: %d %s", code, text)
	}
	put(t, filepath.Join(dir, "wide.json"), learned(t, "a", "b", "c"))
	for _, name := range []string{"wide.json", "none.json", "..%2fsecret.json"} {
		if code, _ := get(t, web.URL+"/pictures/"+name, nil); code == 200 {
			t.Errorf("%s has a picture", name)
		}
	}
}

func TestCompare(t *testing.T) {
	web, dir := start(t, Settings{}, fake{page: func(_ context.Context, w io.Writer, _ Show, list ...Named) error {
		a, b := list[0], list[1]
		_, err := fmt.Fprintf(w, "%s %d, %s %d", a.Name, len(a.Result.Names), b.Name, len(b.Result.Names))
		return err
	}})
	put(t, filepath.Join(dir, "a.json"), learned(t, "a", "b"))
	put(t, filepath.Join(dir, "b.json"), learned(t, "a", "b", "c"))
	if code, text := get(t, web.URL+"/compare?a=a.json&b=b.json", nil); code != 200 || text != "a.json 2, b.json 3" {
		t.Errorf("%d %s", code, text)
	}
	for _, query := range []string{"a=a.json", "a=a.json&b=..%2fsecret.json", "a=a.json&b=none.json", ""} {
		if code, text := get(t, web.URL+"/compare?"+query, nil); code == 200 || strings.Contains(text, "secret\n") {
			t.Errorf("%s: %d %s", query, code, text)
		}
	}
}

// TestMethodsOfTheProgram checks that the page offers the methods of the program, and that results that were read, and runs without a named
// method, have them too.
func TestMethodsOfTheProgram(t *testing.T) {
	first := func(res *polydag.Result) string { return res.Methods.All()[0].Info().Name }
	web, dir := start(t, Settings{MaxWaiting: 1, Methods: func() []method.Method { return []method.Method{order.New()} }}, fake{
		page: func(_ context.Context, w io.Writer, _ Show, list ...Named) error {
			_, err := fmt.Fprint(w, first(list[0].Result), " ", first(list[1].Result))
			return err
		},
		picture: func(_ context.Context, w io.Writer, res *polydag.Result) error {
			_, err := fmt.Fprint(w, first(res))
			return err
		},
	})
	put(t, filepath.Join(dir, "a.json"), learned(t, "a", "b"))
	for path, want := range map[string]string{"/compare?a=a.json&b=a.json": "order order", "/pictures/a.json": "order"} {
		if code, text := get(t, web.URL+path, nil); code != 200 || text != want {
			t.Errorf("%s: %d %s", path, code, text)
		}
	}
	do(t, "POST", web.URL+"/runs?name=data.csv", strings.NewReader("a,b\n1,2\n"), nil)
	s := listen(t, web.URL, func(s Snapshot) bool { return len(s.Runs) == 1 })
	if !slices.Equal(s.Methods, []string{"order"}) || s.Runs[0].Method != "order" {
		t.Errorf("methods %v, run %+v", s.Methods, s.Runs[0])
	}
}

// TestChoicesReachTheRun checks that the chosen columns and edges reach the run, up to a limit.
func TestChoicesReachTheRun(t *testing.T) {
	got := make(chan Job, 1)
	web, _ := start(t, Settings{}, fake{learn: func(_ context.Context, job Job, _ polydag.Observer) (*polydag.Result, error) {
		got <- job
		return learned(t, "a", "b"), nil
	}})
	if code, text := do(t, "POST", web.URL+"/runs?name=t.csv&bootstrap=200&columns=a&columns=b,c&drop=d&require=a-%3Eb&forbid=*-%3Ea", strings.NewReader("a,b\n"), nil); code != 202 {
		t.Fatalf("%d %s", code, text)
	}
	job := <-got
	want := url.Values{"bootstrap": {"200"}, "columns": {"a", "b,c"}, "drop": {"d"}, "require": {"a->b"}, "forbid": {"*->a"}}
	if !reflect.DeepEqual(job.Settings, want) {
		t.Errorf("%+v", job.Settings)
	}
	for _, n := range []int{maxListed + 1, 20_000} { // the second is more than Go's own limit, which drops all of them
		if code, text := do(t, "POST", web.URL+"/runs?name=t.csv"+strings.Repeat("&columns=a", n), strings.NewReader("a,b\n"), nil); code != 400 {
			t.Errorf("%d columns: %d %s", n, code, text)
		}
	}
}

// TestCourse checks that a course of any length has few points, in order, from near its first step to near its
// last.
func TestCourse(t *testing.T) {
	var c Course
	for step := 1; step <= 12345; step++ {
		c.Add(polydag.Progress{Stage: "s", Step: step, H: 1 / float64(step)})
		if len(c.Step) >= mostPoints || len(c.Step) != len(c.Value) {
			t.Fatalf("%d points at step %d", len(c.Step), step)
		}
	}
	if c.Of != "h" || !slices.IsSorted(c.Step) || c.Step[0] > 256 || c.Step[len(c.Step)-1] < 12000 || len(c.Step) < mostPoints/2 {
		t.Errorf("%s, %d points, steps %d to %d", c.Of, len(c.Step), c.Step[0], c.Step[len(c.Step)-1])
	}
	c.Add(polydag.Progress{Stage: "s", Step: 1, Score: 5, Edges: 3})
	if c.Of != "score" || len(c.Step) != 1 {
		t.Errorf("%+v", c)
	}
}

// TestATableIsSentOnce checks that a checked table can be checked and learned from again without its rows, that its file goes when
// other tables replace it, and that a run keeps it until it ends.
func TestATableIsSentOnce(t *testing.T) {
	hold, paths := make(chan struct{}), make(chan string, 8)
	read := func(job Job) (string, error) {
		text, err := os.ReadFile(job.Path)
		return string(text), err
	}
	web, _ := start(t, Settings{}, fake{
		check: func(_ context.Context, job Job) (json.RawMessage, error) {
			if job.Settings.Get("drop") == "all" {
				return nil, errors.New("nothing is left")
			}
			text, err := read(job)
			if err != nil {
				return nil, err
			}
			return json.Marshal([]string{job.Name, text, strings.Join(job.Settings["drop"], " ")})
		},
		learn: func(_ context.Context, job Job, _ polydag.Observer) (*polydag.Result, error) {
			paths <- job.Path
			<-hold
			if text, err := read(job); err != nil || text != "a,b\n" {
				return nil, fmt.Errorf("the table is %q, %v", text, err)
			}
			return learned(t, "a", "b"), nil
		},
	})
	check := func(query, body string) (upload, text string, code int) {
		code, text = do(t, "POST", web.URL+"/check?"+query, strings.NewReader(body), nil)
		var answer Checked
		if code == 200 {
			must.Succeed(t, json.Unmarshal([]byte(text), &answer))
			text = string(answer.Check)
		}
		return answer.Upload, text, code
	}
	upload, text, code := check("name=t.csv", "a,b\n")
	if code != 200 || upload == "" || text != `["t.csv","a,b\n",""]` {
		t.Fatalf("%d %s", code, text)
	}
	if again, text, code := check("upload="+upload, "drop=x&drop=y"); code != 200 || again != upload || text != `["t.csv","a,b\n","x y"]` {
		t.Errorf("checked again: %d %s", code, text)
	}
	if _, text, code := check("upload="+upload, "drop=all"); code != 422 || text != "nothing is left\n" {
		t.Errorf("a table that cannot be used: %d %s", code, text)
	}
	if code, text := do(t, "POST", web.URL+"/runs?upload="+upload, nil, nil); code != 202 {
		t.Fatalf("the run: %d %s", code, text)
	}
	path := <-paths
	for range keptTables {
		check("name=other.csv", "c\n")
	}
	if _, text, code := check("upload="+upload, ""); code != 410 {
		t.Errorf("a table that others replaced: %d %s", code, text)
	}
	close(hold)
	listen(t, web.URL, func(s Snapshot) bool { return len(s.Runs) == 1 && s.Runs[0].State == Done })
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("the file of the table stays: %v", err)
	}
	if _, text, code := check("upload="+strings.Repeat("x", 10), strings.Repeat("drop=x&", maxForm/7+1)); code != 400 {
		t.Errorf("a long form: %d %s", code, text)
	}
}

// TestNoPageMayBeFramed checks that no site can show a page of the server in a frame.
func TestNoPageMayBeFramed(t *testing.T) {
	web, dir := start(t, Settings{})
	put(t, filepath.Join(dir, "good.json"), learned(t, "a", "b"))
	for _, path := range []string{"/", "/results/good.json"} {
		res := must.Get(http.Get(web.URL + path))
		res.Body.Close()
		if res.Header.Get("X-Frame-Options") != "DENY" || !strings.Contains(res.Header.Get("Content-Security-Policy"), "frame-ancestors 'none'") {
			t.Errorf("%s: %v", path, res.Header)
		}
	}
}

// TestImages asks for thumbnails of images that are there, missing or refused.
func TestImages(t *testing.T) {
	web, _ := start(t, Settings{}, fake{image: func(w io.Writer, file string) error {
		switch file {
		case "a/b.png":
			_, err := io.WriteString(w, "pixels")
			return err
		case "bomb.png":
			return errors.New("too many pixels")
		}
		return ErrNoImage
	}})
	for query, want := range map[string]string{"file=a%2Fb.png": "200 pixels", "file=bomb.png": "422 \"bomb.png\" is not shown: too many", "file=gone.png": "404 no such image", "": "404 no such image"} {
		code, text := get(t, web.URL+"/images?"+query, nil)
		if got := fmt.Sprintf("%d %s", code, text); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
}

// TestProgressFiles checks that only the progress of a run is shown, and that a file that is none hides no result.
func TestProgressFiles(t *testing.T) {
	for text, want := range map[string]bool{
		`{"name":"x.csv","state":"running","step":5,"course":{"of":"h","step":[1,2],"value":[3,0.5]}}`: true,
		`{"name":"x.csv","state":"running","course":{"of":"h","step":null,"value":[3]}}`:               true,
		`{"name":"x.csv","state":"running","result":"../a.json"}`:                                      true,
		`{}`: false, `[]`: false, `null`: false, `7`: false, `"x"`: false, `{"name":7,"state":"running"}`: false, `{"name":"x.csv","state":"done"}`: false, `{"name":"x.csv","state":"running","steps":-1}`: false,
		`{"name":"x.csv","state":"running","course":{"of":"h","step":["1"],"value":[2]}}`: false, `{"name":"x.csv","state":"running","seconds":1e999}`: false,
	} {
		run, err := readRun([]byte(text))
		if (err == nil) != want {
			t.Errorf("%s: %v", text, err)
		}
		if len(run.Course.Step) != len(run.Course.Value) && err == nil {
			t.Errorf("%s: course %v", text, run.Course)
		}
	}
	web, dir := start(t, Settings{})
	must.Succeed(t, os.WriteFile(filepath.Join(dir, "x"+progressSuffix), []byte(`{}`), 0o644))
	must.Succeed(t, os.WriteFile(filepath.Join(dir, "r.json"), []byte(`{"schema": "`+polydag.Schema+`"}`), 0o644))
	if s := listen(t, web.URL, func(s Snapshot) bool { return len(s.Results) == 1 }); len(s.Elsewhere) != 0 {
		t.Errorf("runs elsewhere: %v", s.Elsewhere)
	}
}

// TestRedirects checks that no address leads to another host.
func TestRedirects(t *testing.T) {
	web, _ := start(t, Settings{Token: "sesame"})
	for path, want := range map[string]string{"/?token=sesame": "/", "/results/a.json?token=sesame": "/results/a.json", "//evil/?token=sesame": "/evil", "///evil?token=sesame": "/evil", "/%09/evil?token=sesame": "/%09/evil", `/\evil?token=sesame`: "/%5Cevil", "/..//evil?token=sesame": "/evil"} {
		r := httptest.NewRequest("GET", "/", nil)
		r.URL = must.Get(url.ParseRequestURI(path))
		w := httptest.NewRecorder()
		web.Config.Handler.ServeHTTP(w, r)
		must.Same(t, w.Header().Get("Location"), want, path)
	}
}

// TestCrowd checks that visitors who send no complete request keep nobody out.
func TestCrowd(t *testing.T) {
	const most = 20
	crowd := &Crowd{Most: most}
	web := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "here") }))
	web.Config.ConnState, web.Config.ReadHeaderTimeout = crowd.State, time.Minute
	web.Start()
	defer web.Close()
	var slow []net.Conn
	for range 3 * most {
		c := must.Get(net.Dial("tcp", web.Listener.Addr().String()))
		defer c.Close()
		fmt.Fprint(c, "GET / HTTP/1.1\r\nHost: local")
		slow = append(slow, c)
	}
	begun := time.Now()
	code, text := get(t, web.URL, func(*http.Request) {})
	if took := time.Since(begun); code != 200 || text != "here" || took > 5*time.Second {
		t.Errorf("%d %q after %v", code, text, took)
	}
	must.Succeed(t, slow[0].SetReadDeadline(time.Now().Add(5*time.Second)))
	if _, err := slow[0].Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the first connection is open: %v", err)
	}
}
