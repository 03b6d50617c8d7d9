package serve

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/polydag/polydag/internal/must"
)

// dripping is a body with one byte per step of its own clock.
type dripping struct {
	clock time.Time
	step  time.Duration
	size  int
}

func (d *dripping) Read(p []byte) (int, error) {
	if d.size == 0 {
		return 0, io.EOF
	}
	n := min(len(p), d.size, 1)
	if d.step == 0 {
		n = min(len(p), d.size)
	}
	d.clock, d.size = d.clock.Add(d.step), d.size-n
	return n, nil
}

func (d *dripping) Close() error { return nil }

// TestSlowUploadIsRefused checks that one byte every eight seconds is refused although no pause is too long,
// and that a fast upload is accepted.
func TestSlowUploadIsRefused(t *testing.T) {
	for _, c := range []struct {
		name string
		body dripping
		slow bool
		most time.Duration // the longest time for the upload
	}{
		{"a byte every 8 s", dripping{step: 8 * time.Second, size: 1 << 20}, true, 30 * time.Second},
		{"all at once", dripping{size: 1 << 20}, false, 0},
		{"a few bytes in the first seconds", dripping{step: time.Second, size: 10}, false, 10 * time.Second},
	} {
		begun := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
		c.body.clock = begun
		body := &paced{ReadCloser: &c.body, pace: uploadPace, control: http.NewResponseController(httptest.NewRecorder()), now: func() time.Time { return c.body.clock }, start: begun}
		_, err := io.Copy(io.Discard, body)
		if errors.Is(err, errSlow) != c.slow || !c.slow && err != nil || c.body.clock.Sub(begun) > c.most {
			t.Errorf("%s: %v after %s", c.name, err, c.body.clock.Sub(begun))
		}
	}
}

// TestPace checks that the rate and the total time limit an upload, whatever its pauses.
func TestPace(t *testing.T) {
	p := pace{pause: 20 * time.Second, grace: 20 * time.Second, rate: 1000, total: 100 * time.Second}
	start := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		after, want time.Duration
		received    int64
	}{
		{0, 20 * time.Second, 0},
		{15 * time.Second, 20 * time.Second, 0},
		{15 * time.Second, 30 * time.Second, 10_000},  // the rate
		{15 * time.Second, 35 * time.Second, 1 << 30}, // the pause
		{95 * time.Second, 100 * time.Second, 1 << 40},
	} {
		must.Same(t, p.deadline(start, start.Add(c.after), c.received).Sub(start), c.want, c.received, c.after)
	}
}

// TestSlowUploadsFreeTheirSlots checks that visitors who block every upload slot lose them.
func TestSlowUploadsFreeTheirSlots(t *testing.T) {
	web, _ := start(t, Settings{})
	s := web.Config.Handler.(*Server)
	s.pace = pace{pause: time.Hour, grace: 50 * time.Millisecond, rate: 1 << 10, total: time.Hour}
	address := strings.TrimPrefix(web.URL, "http://")
	var slow []net.Conn
	for range maxUploads {
		c := must.Get(net.Dial("tcp", address))
		defer c.Close()
		io.WriteString(c, "POST /runs?name=t.csv HTTP/1.1\r\nHost: "+address+"\r\nContent-Length: 1000\r\n\r\na")
		slow = append(slow, c)
	}
	for _, c := range slow {
		c.SetReadDeadline(time.Now().Add(time.Minute))
		answer, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Fatalf("the slot is not freed: %v", err)
		}
		text, _ := io.ReadAll(answer.Body)
		if answer.StatusCode != http.StatusBadRequest || !strings.Contains(string(text), "too slowly") {
			t.Errorf("%d %s", answer.StatusCode, text)
		}
	}
	if code, text := do(t, "POST", web.URL+"/runs?name=t.csv", strings.NewReader("a,b\n1,2\n"), nil); code != 202 {
		t.Errorf("%d %s", code, text)
	}
}
