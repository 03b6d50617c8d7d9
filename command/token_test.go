package command

import (
	"bytes"
	"context"
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

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

// going starts a command that ends with the test.
func going(t *testing.T, args ...string) *spoken {
	t.Helper()
	out := &spoken{}
	goingOn(t, newApp(lab.All, strings.NewReader(""), out, &bytes.Buffer{}, allWings...), args...)
	return out
}

// goingOn runs a command line of a program until the end of the test.
func goingOn(t *testing.T, a *app, args ...string) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan int)
	go func() { ended <- a.run(ctx, args) }()
	t.Cleanup(func() { cancel(); <-ended })
}

// TestServeNeedsItsToken checks that polydag serve requires a token by default, because other users of a
// machine can reach its loopback address.
func TestServeNeedsItsToken(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "token")
	for _, c := range []struct {
		name string
		args []string
		bare int // the status of an address without a token
	}{
		{"default", nil, 401},
		{"quiet", []string{"--quiet"}, 401},
		{"file", []string{"--token-file", file}, 401},
		{"none", []string{"--no-token"}, 200},
	} {
		address, _, _ := strings.Cut(going(t, append([]string{"serve", t.TempDir(), "--listen", "127.0.0.1:0"}, c.args...)...).line(t), " ")
		bare, token, _ := strings.Cut(address, "?token=")
		for url, want := range map[string]int{bare: c.bare, address: 200} {
			jar := must.Get(cookiejar.New(nil))
			answer := must.Get((&http.Client{Jar: jar}).Get(url))
			answer.Body.Close()
			if answer.StatusCode != want {
				t.Errorf("%s, %s: status %d, want %d", c.name, url, answer.StatusCode, want)
			}
		}
		if c.name == "file" {
			checkPrivate(t, file, token)
		}
	}
}

// checkPrivate checks that a file has a text and that only its owner can read it.
func checkPrivate(t *testing.T, path, want string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil || strings.TrimSpace(string(text)) != want || want == "" {
		t.Errorf("%s: %v", path, err)
	}
	if info, err := os.Stat(path); runtime.GOOS != "windows" && (err != nil || info.Mode().Perm() != 0o600) {
		t.Errorf("%s: %v, %v", path, info.Mode(), err)
	}
}
