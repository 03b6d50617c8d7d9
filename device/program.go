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

// ErrUnavailable is matched by the error of every device that cannot be used, with the reason.
var ErrUnavailable = errors.New("no device can be used")

// ErrFull is matched by the error of a problem that does not fit into the memory of the device beside what is there.
var ErrFull = errors.New("solve fewer at a time, in single precision where the method has it, or on the processor")

// ErrRefused is matched by the error of a problem that the device does not take, with the reason.
var ErrRefused = errors.New("the device does not take the problem")

// ErrLost is matched by the error of a device that stopped answering.
var ErrLost = errors.New("the device was lost")

// Program is the name of the program that drives a card, and Variable that of the environment variable with its path.
const (
	Program  = "polydag-cuda"
	Variable = "POLYDAG_CUDA"
)

// Device is an open device. It may be used by several goroutines; they wait for each other.
type Device struct {
	Info Info
	// Optional says that runs go on here where the device does not take a problem; Used has the reason then.
	Optional bool

	mu     sync.Mutex
	in     io.WriteCloser
	out    *bufio.Reader
	stop   func() string // waits for the end of the program and returns what it said last
	leave  func()        // lets it end
	failed error

	groups sync.Mutex // of open, places, holding and freed
	open   []*group
	places int

	searches chan struct{} // a place for each line search
	holding  int           // line searches that have a session
	freed    chan struct{} // closed when the next of them ends
}

// find returns the path of the program: the environment's, beside this one, or on the PATH.
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
	return "", fmt.Errorf("%w: the program %s, which drives a card, is neither beside this one nor on the PATH; install it (go install github.com/polydag/polydag/cmd/%s@latest) or set %s",
		ErrUnavailable, Program, Program, Variable)
}

func executable(path string) bool {
	st, err := os.Stat(path)
	return err == nil && !st.IsDir() && st.Mode()&0o111 != 0
}

// List starts the program and asks for the cards.
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

// Open starts the program and opens a card.
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
	apart(cmd) // Ctrl-C is for the command, which then asks for the state
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

// Over returns a device that speaks over the given pipes, for tests and for programs that bring their own.
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

// Close ends the program. It does not wait: the driver takes a tenth of a second to give the card's memory back.
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

// leaves says whether a run goes on here after an error of the device.
func (d *Device) leaves(err error) bool { return d.Optional && errors.Is(err, ErrRefused) }

// tail keeps the end of what a program says.
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
