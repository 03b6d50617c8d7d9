//go:build linux

package command

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/polydag/polydag/internal/memory"
	"github.com/polydag/polydag/internal/must"
)

// peakFile is the variable with the name of the file to which a command of the tests writes its largest memory. The value of wait(2)
// would include the process that started it.
const peakFile = "PEAK_FILE"

// writePeak writes the largest memory of this process as Linux states it, in kB.
func writePeak() {
	if path := os.Getenv(peakFile); path != "" {
		_ = os.WriteFile(path, fmt.Append(nil, peakOf("self")), 0o600)
	}
}

func peakOf(pid string) int64 {
	text, _ := os.ReadFile("/proc/" + pid + "/status")
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	kb, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	n, _ := strconv.ParseInt(kb, 10, 64)
	return n << 10
}

// memoryOf is the limit of these tests, and mostPeak what a command may take under it.
const (
	memoryOf = 300 << 20
	mostPeak = memoryOf * 5 / 4
)

// environment is that of the tests without settings of Go, which could hide what a command takes.
func environment(more ...string) (list []string) {
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "GO") {
			list = append(list, v)
		}
	}
	return append(list, more...)
}

// absurdTables writes tables and results into a folder: 400 columns, 10 columns, a result of 10, and one of 30,000 names.
func absurdTables(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	table := func(name string, columns, rows int) {
		var b strings.Builder
		for j := range columns {
			fmt.Fprintf(&b, "x%d%c", j, ",\n"[(j+1)/columns])
		}
		state := uint64(columns)
		for range rows {
			for j := range columns {
				state = state*6364136223846793005 + 1442695040888963407
				fmt.Fprintf(&b, "%d%c", state>>50, ",\n"[(j+1)/columns])
			}
		}
		must.Succeed(t, os.WriteFile(filepath.Join(dir, name), []byte(b.String()), 0o600))
	}
	table("wide.csv", 400, 300)
	table("small.csv", 10, 200)
	run := exec.Command("polydag", "learn", "small.csv", "--output", "small.json", "--quiet")
	run.Dir = dir
	if text, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	var b strings.Builder
	b.WriteString(`{"schema":"polydag.result/2","kind":"dag","edges":[],"names":["v"`)
	for j := range 30_000 {
		fmt.Fprintf(&b, `,"v%d"`, j)
	}
	b.WriteString("]}")
	must.Succeed(t, os.WriteFile(filepath.Join(dir, "names.json"), []byte(b.String()), 0o600))
	return dir
}

// TestAbsurdRequests runs commands under --max-memory with requests of terabytes. Each must end with exit code 1 or 2 and a message,
// without a dump of stacks, and must not take more than 1.25 times the limit.
func TestAbsurdRequests(t *testing.T) {
	dir := absurdTables(t)
	const huge = "1000000000000"
	var group sync.WaitGroup
	free := make(chan bool, 2)
	for _, c := range []struct{ args, want string }{
		{"learn wide.csv --time . --lags 200", "400 columns with 200 lags are 80400 columns, limit 80000; use a smaller value of --lags"},
		{"learn wide.csv --time . --lags 190", "needs about 43.5GB of memory, and 300MB are allowed; use a smaller value of --lags"},
		{"learn wide.csv --time . --lags 10 --threads 2", "the run needs about 2.14GB of memory, and 300MB are allowed"},
		{"learn wide.csv --time . --lags " + huge, "want auto, or a number from 1 to 200"},
		{"effect small.json --of x0 --on x1 --data small.csv --set horizon=" + huge, "--set horizon=1000000000000: want at most 10000"},
		{"learn small.csv --time . --set season=" + huge, "--set season=1000000000000: want at most 100000"},
		{"learn small.csv --bootstrap 10000000 --deadline 3s", "--bootstrap 10000000: want at most 100000"},
		{"learn small.csv --bootstrap " + huge + " --deadline 3s", "--bootstrap 1000000000000: want at most 100000"},
		{"learn small.csv --stability " + huge, "--stability 1000000000000: want at most 100000"},
		{"learn small.csv --bootstrap 20 --calibrate=" + huge, "--calibrate 1000000000000: want at most 1000"},
		{"learn small.csv --posterior --set samples=" + huge, "--set samples=1000000000000"},
		{"learn small.csv --threads " + huge, "--threads 1000000000000: want at most 4096"},
		{"confidence small.json --data small.csv --bootstrap " + huge, "--bootstrap 1000000000000: want at most 100000"},
		{"path small.csv --set splits=" + huge, "--set splits=1000000000000: want at most 10000"},
		{"compare small.csv --set splits=" + huge, "--set splits=1000000000000: want at most 10000"},
		{"test small.json --data small.csv --set random-graphs=" + huge, "--set random-graphs=1000000000000: want at most 100000"},
		{"why small.csv --graph small.json --row 3 --target x1 --set replicates=" + huge, "--set replicates=1000000000000: want at most 100000"},
		{"impute small.csv small.json --output o.csv --copies " + huge, "--copies 1000000000000: want at most 10000"},
		{"simulate --output o.csv --truth t.csv --nodes 1000000000", "the model needs about 1.09TB of memory, and 300MB are allowed"},
		{"simulate --output o.csv --truth t.csv --nodes 1000000 --edges " + "100000000000", "the model needs about 27.3TB of memory"},
		{"simulate --output o.csv --truth t.csv --lags " + huge, "the model needs about 102TB of memory"},
		{"simulate --output o.csv --truth t.csv --environments " + huge, "of memory, and 300MB are allowed"},
		{"simulate --output o.csv --truth t.csv --set interventions=1000000000 --set intervention-size=10", "of memory, and 300MB are allowed"},
		{"convert names.json o.npy", "takes 6.71GB, and the format npy is written up to 4GB; write the edges instead"},
		{"convert names.json o.adjacency.csv", "takes 6.71GB, and the format adjacency is written up to 4GB; write the edges instead"},
	} {
		group.Go(func() {
			free <- true
			defer func() { <-free }()
			peak := filepath.Join(t.TempDir(), "peak")
			run := exec.Command("polydag", append(strings.Fields(c.args), "--max-memory", "300M")...)
			run.Dir, run.Env = dir, environment(peakFile+"="+peak)
			start := time.Now()
			text, err := run.CombinedOutput()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != 1 && exit.ExitCode() != 2 || bytes.Contains(text, []byte("goroutine ")) || !bytes.Contains(text, []byte(c.want)) {
				t.Errorf("%s: %v: %.2000s\nwant %s", c.args, err, text, c.want)
			}
			kept, _ := os.ReadFile(peak)
			if bytes, err := strconv.ParseInt(string(kept), 10, 64); err != nil || bytes > mostPeak {
				t.Errorf("%s: the peak is %s, %v", c.args, memory.Size(bytes), err)
			}
			if took := time.Since(start); took > 10*time.Second {
				t.Errorf("%s: took %v", c.args, took)
			}
		})
	}
	group.Wait()
	for _, name := range []string{"o.csv", "t.csv", "o.npy", "o.adjacency.csv"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			t.Errorf("%s was written", name)
		}
	}
}

// TestFewAddresses checks that a limit of addresses which leaves no room for data is reported as such.
func TestFewAddresses(t *testing.T) {
	for _, kb := range []int{800_000, 900_000, 1_000_000, 1_200_000} {
		limited := func(args string) ([]byte, error) {
			run := exec.Command("sh", "-c", fmt.Sprintf("ulimit -v %d && exec polydag %s", kb, args))
			run.Dir, run.Env = t.TempDir(), environment()
			return run.CombinedOutput()
		}
		if text, err := limited("version"); err != nil { // Go itself reserves 600 MB of addresses, and under some limits all of them
			t.Logf("%d kB: no program in Go starts: %.100s", kb, text)
			continue
		}
		text, err := limited("simulate --nodes 1000000 --output - --truth t.csv --rows 1")
		if bytes.Contains(text, []byte("runtime.doInit")) { // the addresses that Go reserves are not the same in each run
			t.Logf("%d kB: the memory ends before the program starts", kb)
			continue
		}
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 1 || bytes.Contains(text, []byte("goroutine ")) ||
			!bytes.Contains(text, []byte("the limit of addresses (ulimit -v) leaves")) && !bytes.Contains(text, []byte("the model needs about 1.12GB of memory, and")) {
			t.Errorf("%d kB: %v: %.2000s", kb, err, text)
		}
	}
}

// TestServeRefusesAbsurdUploads checks that a server refuses uploads and exports of terabytes, stays within its memory, continues, keeps
// no file of them, and removes the uploads that a killed server left.
func TestServeRefusesAbsurdUploads(t *testing.T) {
	dir, temp := absurdTables(t), t.TempDir()
	results := filepath.Join(dir, "results")
	must.Succeed(t, os.Mkdir(results, 0o700))
	var b strings.Builder
	b.WriteString(`{"schema":"polydag.result/2","kind":"dag","edges":[],"names":["v"`)
	for j := range 9_999 {
		fmt.Fprintf(&b, `,"v%d"`, j)
	}
	b.WriteString("]}")
	must.Succeed(t, os.WriteFile(filepath.Join(results, "n10k.json"), []byte(b.String()), 0o600))
	serve := func() (*exec.Cmd, string) {
		run := exec.Command("polydag", "serve", results, "--no-token", "--listen", "127.0.0.1:0", "--max-memory", "300M")
		run.Env = environment("TMPDIR=" + temp)
		out := must.Get(run.StdoutPipe())
		must.Succeed(t, run.Start())
		line := make([]byte, 200)
		n := must.Get(out.Read(line))
		address, _, _ := strings.Cut(string(line[:n]), " ")
		return run, address
	}
	run, address := serve()
	defer func() {
		_ = run.Process.Kill()
		_ = run.Wait()
	}()
	text := must.Get(os.ReadFile(filepath.Join(dir, "wide.csv")))
	post := func(path, query string) (int, string) {
		answer := must.Get(http.Post(address+path+"?name=wide.csv&"+query, "text/csv", bytes.NewReader(text)))
		defer answer.Body.Close()
		var b bytes.Buffer
		_, _ = b.ReadFrom(answer.Body)
		return answer.StatusCode, b.String()
	}
	for query, want := range map[string]string{
		url.Values{"time": {"."}, "lags": {"200"}}.Encode(): "400 columns with 200 lags are 80400 columns, limit 80000; use a smaller value of --lags",
		url.Values{"time": {"."}, "lags": {"50"}}.Encode():  "needs about 3.10GB of memory, and 150MB are allowed; use a smaller value of --lags",
	} {
		if code, got := post("check", query); code != http.StatusUnprocessableEntity || !strings.Contains(got, want) {
			t.Errorf("check: %d %s, want %s", code, got, want)
		}
		if code, got := post("runs", query); code != http.StatusAccepted {
			t.Errorf("runs: %d %s", code, got)
		}
	}
	answer := must.Get(http.Get(address + "exports/n10k.json?to=npy"))
	head := make([]byte, 1<<20)
	n := must.Get(answer.Body.Read(head))
	if answer.StatusCode != http.StatusOK || n == 0 || !bytes.HasPrefix(head, []byte("\x93NUMPY")) {
		t.Errorf("the export begins with %q, %d", head[:min(n, 20)], answer.StatusCode)
	}
	answer.Body.Close()
	var uploads []string
	for wait := time.Now(); time.Since(wait) < 10*time.Second; time.Sleep(20 * time.Millisecond) { // the runs end in turn
		if uploads, _ = filepath.Glob(filepath.Join(temp, "polydag-serve-*", "*.csv")); len(uploads) == 0 {
			break
		}
	}
	if len(uploads) > 0 {
		t.Errorf("%d files of refused uploads are left", len(uploads))
	}
	if code, got := post("check", ""); code != http.StatusOK {
		t.Errorf("a sound table afterwards: %d %s", code, got)
	}
	if peak := peakOf(strconv.Itoa(run.Process.Pid)); peak > mostPeak || peak == 0 {
		t.Errorf("the peak is %s", memory.Size(peak))
	}
	if kept, _ := filepath.Glob(filepath.Join(temp, "polydag-serve-*", "*.csv")); len(kept) != 1 {
		t.Errorf("%d tables are kept for a run, want 1", len(kept))
	}
	must.Succeed(t, run.Process.Kill())
	_ = run.Wait()
	run, _ = serve()
	if left, _ := filepath.Glob(filepath.Join(temp, "polydag-serve-*", "*.csv")); len(left) > 0 {
		t.Errorf("%d uploads of the killed server are left", len(left))
	}
}
