package device

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// ErrUnavailable is matched by the error if no device can be used. The error includes the reason.
var ErrUnavailable = errors.New("no device can be used")

// ErrFull is matched by the error of a problem that does not fit into the free memory of the device.
var ErrFull = errors.New("solve fewer at a time, in single precision where the method has it, or on the processor")

// ErrRefused is matched by the error of a problem that the device does not support. The error includes the
// reason.
var ErrRefused = errors.New("the device does not take the problem")

// ErrLost is matched by the error of a device that stopped responding.
var ErrLost = errors.New("the device was lost")

// Program is the name of the program that controls a GPU. Variable is the environment variable with its path.
const (
	Program  = "polydag-cuda"
	Variable = "POLYDAG_CUDA"
)

// Device is an open device. Several goroutines may use it; they wait for each other.
type Device struct {
	Info Info
	// Optional means that runs continue on the CPU if the device refuses a problem. Used then returns the
	// reason.
	Optional bool

	mu     sync.Mutex
	in     io.WriteCloser
	out    *bufio.Reader
	stop   func() string // waits for the program to end and returns its last output
	leave  func()        // lets the program end
	failed error

	groups sync.Mutex // guards open, places, holding and freed
	open   []*group
	places int

	searches chan struct{} // one slot for each line search
	holding  int           // number of line searches with a session
	freed    chan struct{} // closed when the next one ends
}

// find returns the path of the program: from the environment variable, next to this executable, or from PATH.
func find() (string, error) {
	if p := os.Getenv(Variable); p != "" {
		if _, err := os.Stat(p); err != nil {
			return "", fmt.Errorf("%w: %s names no program: %w", ErrUnavailable, Variable, err)
		}
		return p, nil
	}
	if self, err := os.Executable(); err == nil {
		if p := filepath.Join(filepath.Dir(self), Program); executable(p) {
			return p, nil
		}
	}
	if p, err := exec.LookPath(Program); err == nil {
		return p, nil
	}
	return "", fmt.Errorf("%w: the program %s, which drives a card, is neither beside this one nor on the PATH; install it (go install github.com/polydag/polydag/gpu/%s@latest) or set %s",
		ErrUnavailable, Program, Program, Variable)
}

func executable(path string) bool {
	st, err := os.Stat(path)
	return err == nil && !st.IsDir() && st.Mode()&0o111 != 0
}

// List starts the program and returns the GPUs.
func List() ([]Info, error) {
	d, err := start()
	if err != nil {
		return nil, err
	}
	defer d.Close()
	reply, err := d.ask(&Request{Op: OpList})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return reply.Cards, nil
}

// Open starts the program and opens a GPU.
func Open(card int) (*Device, error) {
	d, err := start()
	if err != nil {
		return nil, err
	}
	reply, err := d.ask(&Request{Op: OpCard, Card: card})
	if err != nil {
		d.Close()
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	if len(reply.Cards) == 1 {
		d.Info = reply.Cards[0]
	}
	return d, nil
}

func start() (*Device, error) {
	path, err := find()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(path)
	said := &tail{}
	cmd.Stderr = said
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	apart(cmd) // polydag handles Ctrl-C and then fetches the state
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("%w: %s does not start: %w", ErrUnavailable, path, err)
	}
	stop := func() string {
		late := time.AfterFunc(2*time.Second, func() { _ = cmd.Process.Kill() })
		defer late.Stop()
		_ = cmd.Wait()
		return said.String()
	}
	return &Device{in: in, out: bufio.NewReaderSize(out, Buffer), stop: stop, leave: func() { go stop() }, searches: make(chan struct{}, maxSearches), freed: make(chan struct{})}, nil
}

// Over returns a device that communicates over the given pipes. It serves tests and programs with their own
// driver.
func Over(in io.WriteCloser, out io.Reader) (*Device, error) {
	d := &Device{in: in, out: bufio.NewReader(out), stop: func() string { return "" }, leave: func() {}, searches: make(chan struct{}, maxSearches), freed: make(chan struct{})}
	reply, err := d.ask(&Request{Op: OpCard})
	if err != nil {
		return nil, err
	}
	if len(reply.Cards) == 1 {
		d.Info = reply.Cards[0]
	}
	return d, nil
}

// Close ends the program. It does not wait, because the driver takes 0.1 s to free the memory of the GPU.
func (d *Device) Close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.failed != nil {
		return
	}
	d.failed = fmt.Errorf("the device is closed: %w", ErrLost)
	_ = d.in.Close()
	d.leave()
}

func (d *Device) ask(q *Request) (*Reply, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.failed != nil {
		return nil, d.failed
	}
	q.Version = Version
	q.Sizes = nil
	for _, b := range q.Blobs {
		q.Sizes = append(q.Sizes, len(b))
	}
	var reply Reply
	err := Send(d.in, q, q.Blobs)
	if err == nil {
		reply.Blobs, err = Receive(d.out, &reply, func() []int { return reply.Sizes }, q.Into...)
	}
	if err != nil {
		_ = d.in.Close()
		said := d.stop()
		if said == "" {
			said = err.Error()
		}
		d.failed = fmt.Errorf("%s: %w", said, ErrLost)
		return nil, d.failed
	}
	if reply.Full {
		return nil, fmt.Errorf("%s: %w", reply.Error, ErrFull)
	}
	if reply.Error != "" {
		return nil, errors.New(reply.Error)
	}
	return &reply, nil
}

func (d *Device) openSession(p *Problem) (int, error) {
	reply, err := d.ask(&Request{Op: OpOpen, Problem: p})
	switch {
	case errors.Is(err, ErrLost):
		return 0, err
	case err != nil:
		return 0, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	return reply.Session, nil
}

// leaves reports whether a run continues on the CPU after an error of the device.
func (d *Device) leaves(err error) bool { return d.Optional && errors.Is(err, ErrRefused) }

// tail keeps the end of the output of a program.
type tail struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b.Write(p)
	if extra := t.b.Len() - 4096; extra > 0 {
		t.b.Next(extra)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(t.b.String())
}
