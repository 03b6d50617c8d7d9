//go:build unix

package jetstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/polydag/polydag/cluster/hub"
	"github.com/polydag/polydag/cluster/hub/server"
	"github.com/polydag/polydag/cluster/work"
	"github.com/polydag/polydag/internal/must"
)

// roleEnv makes the test program a server, a worker or a submitter; faultsEnv is the number of runs of
// TestFaults.
const (
	roleEnv   = "POLYDAG_FAULT_ROLE"
	faultsEnv = "POLYDAG_FAULTS"
)

// A role is the role of a process in a fault run.
type role struct {
	Kind  string       `json:"kind"`
	Hub   hub.Settings `json:"hub"`
	URL   string       `json:"url"`
	Units []toy        `json:"units"`
	Out   string       `json:"out"`
}

func TestMain(m *testing.M) {
	text := os.Getenv(roleEnv)
	if text == "" {
		os.Exit(m.Run())
	}
	var r role
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	go func(parent int) { // a killed test leaves no process behind
		for os.Getppid() == parent {
			time.Sleep(time.Second)
		}
		os.Exit(3)
	}(os.Getppid())
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer cancel()
	if err := r.play(ctx); err != nil && ctx.Err() == nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", r.Kind, err)
		os.Exit(1)
	}
}

func (r *role) play(ctx context.Context) error {
	if r.Kind == "server" {
		r.Hub.Log = func(m string) { fmt.Fprintln(os.Stderr, m) }
		return server.Serve(ctx, r.Hub, nil)
	}
	var c *Client
	for { // the servers may be starting, or just being killed
		var err error
		if c, err = Connect(ctx, Connection{URL: r.URL, Timing: quick}); err == nil {
			break
		}
		if !sleep(ctx, 100*time.Millisecond) {
			return context.Cause(ctx)
		}
	}
	defer c.Close()
	c.Warn = func(m string) { fmt.Fprintln(os.Stderr, m) }
	if r.Kind == "worker" {
		return c.Work(ctx, Worker{Handlers: toys(nil), Jobs: 2})
	}
	job, err := makeJob(r.Units)
	if err != nil {
		return err
	}
	times := make([]int, len(job.Units))
	out := make([][]byte, len(job.Units))
	err = (&Submitter{c, nil}).Run(ctx, job, func(i int, outcome []byte) error {
		times[i]++
		out[i] = outcome
		return nil
	})
	if err != nil {
		return err
	}
	var b strings.Builder
	for i := range out {
		if times[i] != 1 {
			return fmt.Errorf("unit %d was counted %d times", i, times[i])
		}
		fmt.Fprintf(&b, "%d: %s\n", i, out[i])
	}
	if err := os.WriteFile(r.Out+".tmp", []byte(b.String()), 0o600); err != nil {
		return err
	}
	return os.Rename(r.Out+".tmp", r.Out)
}

// process is a role that runs, and is started again after it was killed.
type process struct {
	role role
	cmd  *exec.Cmd
	done chan struct{}
	log  *os.File
}

func launch(t *testing.T, dir string, r role) *process {
	t.Helper()
	log := must.Get(os.CreateTemp(dir, r.Kind+"-*.log"))
	p := &process{role: r, log: log}
	p.start(t)
	t.Cleanup(func() { p.kill(); log.Close() })
	return p
}

func (p *process) start(t *testing.T) {
	t.Helper()
	text := must.Get(json.Marshal(p.role))
	p.cmd = exec.Command(os.Args[0])
	p.cmd.Env = append(os.Environ(), roleEnv+"="+string(text), "GOMAXPROCS=2")
	p.cmd.Stdout, p.cmd.Stderr = p.log, p.log
	must.Succeed(t, p.cmd.Start())
	p.done = make(chan struct{})
	go func(cmd *exec.Cmd, done chan struct{}) {
		cmd.Wait() // the state has the exit status
		close(done)
	}(p.cmd, p.done)
}

func (p *process) signal(s os.Signal) { p.cmd.Process.Signal(s) }

func (p *process) kill() {
	p.cmd.Process.Kill()
	<-p.done
}

func (p *process) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

func (p *process) said() string {
	b, _ := os.ReadFile(p.log.Name())
	return string(b)
}

// freePorts returns currently unused ports.
func freePorts(t *testing.T, n int) (list []int) {
	t.Helper()
	for range n {
		l := must.Get(net.Listen("tcp", "127.0.0.1:0"))
		defer l.Close()
		list = append(list, l.Addr().(*net.TCPAddr).Port)
	}
	return list
}

// cluster starts three servers that keep three copies of everything.
func cluster(t *testing.T, dir string) (servers []*process, url string) {
	t.Helper()
	ports := freePorts(t, 6)
	var routes, urls []string
	for k := range 3 {
		routes = append(routes, fmt.Sprintf("127.0.0.1:%d", ports[3+k]))
		urls = append(urls, fmt.Sprintf("nats://127.0.0.1:%d", ports[k]))
	}
	for k := range 3 {
		servers = append(servers, launch(t, dir, role{Kind: "server", Hub: hub.Settings{
			Store: filepath.Join(dir, fmt.Sprintf("store%d", k)), Listen: fmt.Sprintf("127.0.0.1:%d", ports[k]), Name: fmt.Sprintf("n%d", k),
			Cluster: "faults", ClusterListen: routes[k], Routes: routes,
		}}))
	}
	return servers, strings.Join(urls, ",")
}

// TestFaults runs units on three workers and three servers. Meanwhile it kills workers, the submitter and
// servers with SIGKILL, one at a time, restarts them, and suspends processes for longer than the heartbeat
// timeout. Every unit must count once, and the merged outcome must equal that of the local pool.
// POLYDAG_FAULTS=20 makes twenty runs of 500 units with 25 faults each instead of one short run.
func TestFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: starts seven processes and waits for them")
	}
	runs, _ := strconv.Atoi(os.Getenv(faultsEnv)) // 0 is the short run
	if runs == 0 {
		faultRun(t, 1, numbers(150, toy{Pause: 50}), []int{0, 3, 4, 6})
	}
	for k := range runs {
		rng := rand.New(rand.NewPCG(uint64(k+1), 76))
		faults := make([]int, 25)
		for i := range faults {
			faults[i] = rng.IntN(8)
		}
		t.Run(fmt.Sprint("seed=", k+1), func(t *testing.T) { faultRun(t, uint64(k+1), numbers(500, toy{Pause: 300}), faults) })
	}
}

func faultRun(t *testing.T, seed uint64, list []toy, faults []int) {
	dir, rng := t.TempDir(), rand.New(rand.NewPCG(seed, 77))
	job := must.Get(makeJob(list))
	want := must.Get(merged(t.Context(), work.Pool{Workers: 100, Handlers: toys(nil)}, job))
	servers, url := cluster(t, dir)
	watcher := watch(t, url)
	out := filepath.Join(dir, "merged")
	submitter := launch(t, dir, role{Kind: "submitter", URL: url, Units: list, Out: out})
	var workers []*process
	for range 3 {
		workers = append(workers, launch(t, dir, role{Kind: "worker", URL: url}))
	}
	watcher.until(t, "the first outcomes", func(s Status) bool { return s.Outcomes > 0 })
	counts, begun := map[string]int{}, time.Now()
	for n, kind := range faults {
		if submitter.ended() {
			t.Logf("the run ended after %d of %d faults", n, len(faults))
			break
		}
		pause := time.Duration(100+rng.IntN(400)) * time.Millisecond
		switch w, s := workers[rng.IntN(3)], servers[rng.IntN(3)]; kind {
		case 0, 1, 2:
			counts["worker killed"]++
			w.kill()
			time.Sleep(pause / 4)
			w.start(t)
		case 3:
			counts["submitter killed"]++
			submitter.kill()
			time.Sleep(pause / 4)
			submitter.start(t)
		case 4, 5: // one server at a time: two of three must agree
			counts["server killed"]++
			s.kill()
			time.Sleep(pause)
			s.start(t)
			watcher.until(t, "the server is back", func(Status) bool { return ready(s.role.Hub.Listen) })
		case 6:
			counts["worker stopped"]++
			w.signal(syscall.SIGSTOP)
			time.Sleep(pause + quick.Ack*time.Duration(rng.IntN(2)))
			w.signal(syscall.SIGCONT)
		default:
			counts["server stopped"]++
			s.signal(syscall.SIGSTOP)
			time.Sleep(2 * pause)
			s.signal(syscall.SIGCONT)
		}
		time.Sleep(pause)
	}
	select {
	case <-submitter.done:
	case <-time.After(3 * time.Minute):
		for _, p := range append(append(servers, workers...), submitter) {
			t.Logf("%s said:\n%s", p.role.Kind, p.said())
		}
		t.Fatalf("the submitter does not end: %+v", watcher.last())
	}
	got, err := os.ReadFile(out)
	if err != nil || string(got) != want {
		t.Fatalf("seed %d: %v; %d bytes, want %d; the submitter said %s", seed, err, len(got), len(want), submitter.said())
	}
	watcher.until(t, "nothing is left over", func(s Status) bool { return s.Outcomes == len(list) && s.Waiting == 0 && s.Running == 0 })
	t.Logf("seed %d: %d units counted once each, the same bytes, in %.1f s; %v", seed, len(list), time.Since(begun).Seconds(), counts)
}

// ready reports whether a server listens at the address.
func ready(address string) bool {
	c, err := net.DialTimeout("tcp", address, time.Second)
	if err != nil {
		return false
	}
	c.Close()
	return true
}

// watcher observes the only job of a run from outside.
type watcher struct {
	c  *Client
	mu sync.Mutex
	at Status
}

func watch(t *testing.T, url string) *watcher {
	t.Helper()
	var w watcher
	eventually(t, "the servers answer", func() bool {
		c, err := Connect(t.Context(), Connection{URL: url, Timing: quick})
		w.c = c
		return err == nil
	})
	t.Cleanup(w.c.Close)
	return &w
}

func (w *watcher) last() Status {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.at
}

func (w *watcher) until(t *testing.T, what string, ok func(Status) bool) {
	t.Helper()
	for begun := time.Now(); time.Since(begun) < 2*time.Minute; time.Sleep(50 * time.Millisecond) {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		list, err := w.c.List(ctx)
		cancel()
		if err != nil || len(list.Jobs) == 0 {
			if errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			continue
		}
		w.mu.Lock()
		w.at = list.Jobs[0]
		w.mu.Unlock()
		if ok(list.Jobs[0]) {
			return
		}
	}
	t.Fatalf("it does not come to this: %s; %+v", what, w.last())
}
