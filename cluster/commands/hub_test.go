package commands_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/polydag/polydag/cluster/commands"
	"github.com/polydag/polydag/cluster/hub/server"
	"github.com/polydag/polydag/cmd/wings"
	"github.com/polydag/polydag/command"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab"
)

// spoken is the standard output of a running command.
type spoken struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *spoken) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

// line waits for the first line.
func (s *spoken) line(t *testing.T) string {
	t.Helper()
	for begun := time.Now(); time.Since(begun) < time.Minute; time.Sleep(5 * time.Millisecond) {
		s.mu.Lock()
		line, _, whole := strings.Cut(s.text.String(), "\n")
		s.mu.Unlock()
		if whole {
			return line
		}
	}
	t.Fatal("the command says nothing")
	return ""
}

// TestHubNeedsItsToken checks that a hub requires its token, stores it in a private file, and writes the address for others.
func TestHubNeedsItsToken(t *testing.T) {
	t.Parallel()
	store := filepath.Join(t.TempDir(), "store")
	out := &spoken{}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan int)
	go func() {
		ended <- commands.Hub(ctx, server.Serve, lab.All, []string{"--store", store, "--listen", "127.0.0.1:0"}, strings.NewReader(""), out, &bytes.Buffer{}, wings.All...)
	}()
	t.Cleanup(func() { cancel(); <-ended })
	at, _, _ := strings.Cut(out.line(t), " ")
	run := func(args ...string) (int, string) {
		var said bytes.Buffer
		return command.Run(t.Context(), lab.All, args, strings.NewReader(""), &said, &said, wings.All...), said.String()
	}
	if code, text := run("jobs", "--nats", at); code != 1 || !strings.Contains(text, "refuses the credentials") {
		t.Errorf("without the token: exit code %d: %s", code, text)
	}
	address := filepath.Join(store, "address")
	if code, text := run("jobs", "--nats-file", address); code != 0 || !strings.Contains(text, "no jobs") {
		t.Errorf("with --nats-file: exit code %d: %s", code, text)
	}
	token := must.Get(command.ReadToken(filepath.Join(store, "token")))
	for path, want := range map[string]string{filepath.Join(store, "token"): token, address: strings.Replace(at, "nats://", "nats://"+token+"@", 1)} {
		text, err := os.ReadFile(path)
		if err != nil || strings.TrimSpace(string(text)) != want || want == "" {
			t.Errorf("%s: %v", path, err)
		}
		if info, err := os.Stat(path); runtime.GOOS != "windows" && (err != nil || info.Mode().Perm() != 0o600) {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	if strings.Contains(at, token) {
		t.Errorf("the token is printed: %s", at)
	}
}

// TestProgramsShareTheEnvironment checks that a setting of one program in the environment does not stop the other, and that one of none does.
func TestProgramsShareTheEnvironment(t *testing.T) {
	hub := func(out io.Writer) int {
		return commands.Hub(t.Context(), server.Serve, lab.All, []string{"--store", t.TempDir(), "--listen", "127.0.0.1:0", "--set", "for=1ms"}, strings.NewReader(""), out, out, wings.All...)
	}
	polydag := func(out io.Writer) int {
		return command.Run(t.Context(), lab.All, []string{"methods"}, strings.NewReader(""), out, out, wings.All...)
	}
	for _, c := range []struct {
		key, value string
		run        func(io.Writer) int
		want       int
	}{{"POLYDAG_BOOTSTRAP", "5", hub, 0}, {"POLYDAG_BOOTSTRAPS", "5", hub, 2}, {"POLYDAG_CLUSTER_LISTEN", "a:1", polydag, 0}, {"POLYDAG_CLUSTER_LISTENS", "a:1", polydag, 2}} {
		t.Run(c.key, func(t *testing.T) {
			t.Setenv(c.key, c.value)
			var said bytes.Buffer
			must.Same(t, c.run(&said), c.want, said.String())
		})
	}
}
