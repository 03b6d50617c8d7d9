package device_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polydag/polydag/acyclic"
	"github.com/polydag/polydag/gpu/device"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/solve"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]device.Choice{
		"cpu": {Here: true}, "auto": {}, "cuda": {Must: true}, "cuda:0": {Must: true}, "cuda:3": {Must: true, Card: 3},
	} {
		if got, err := device.Parse(text); err != nil || got != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "gpu", "cuda:", "cuda:-1", "cuda:x", "CUDA", "cuda:1:2"} {
		if _, err := device.Parse(text); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
}

// TestChoiceWithoutProgram checks that auto continues on the CPU, and that a required GPU gives an error with
// the reason.
func TestChoiceWithoutProgram(t *testing.T) {
	t.Setenv(device.Variable, filepath.Join(t.TempDir(), "none"))
	auto, _ := device.Parse("auto")
	d, why, err := auto.Open()
	if d != nil || err != nil || !strings.Contains(why, device.Variable) {
		t.Errorf("auto: %v, %q, %v", d, why, err)
	}
	must, _ := device.Parse("cuda")
	if _, _, err := must.Open(); !errors.Is(err, device.ErrUnavailable) {
		t.Errorf("cuda: %v", err)
	}
	if _, err := device.List(); !errors.Is(err, device.ErrUnavailable) {
		t.Errorf("list: %v", err)
	}
}

// TestProgramThatDies checks that the error has the last output of the program.
func TestProgramThatDies(t *testing.T) {
	if _, err := os.Stat("/bin/sh"); err != nil {
		must.Missing(t, "there is no /bin/sh to write a program for")
	}
	path := filepath.Join(t.TempDir(), "polydag-cuda")
	for text, want := range map[string]string{
		"#!/bin/sh\necho the driver is not installed >&2\nexit 1\n": "the driver is not installed",
		"#!/bin/sh\nprintf rubbish-and-more-of-it\nread request\n":  "bytes",
		"#!/bin/sh\nkill -9 $$\n":                                   "lost",
	} {
		must.Succeed(t, os.WriteFile(path, []byte(text), 0o755))
		t.Setenv(device.Variable, path)
		if _, err := device.Open(0); err == nil || !strings.Contains(err.Error(), want) || !errors.Is(err, device.ErrUnavailable) {
			t.Errorf("%q: got %v, want it to say %q", text, err, want)
		}
	}
}

// scripted answers requests by a function.
func scripted(t *testing.T, answer func(q device.Request) any) *device.Device {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	go func() {
		for {
			var q device.Request
			blobs, err := device.Receive(inR, &q, func() []int { return q.Sizes })
			if err != nil {
				_ = outW.CloseWithError(err)
				return
			}
			q.Blobs = blobs
			switch a := answer(q).(type) {
			case *device.Reply:
				for _, b := range a.Blobs {
					a.Sizes = append(a.Sizes, len(b))
				}
				_ = device.Send(outW, a, a.Blobs)
			case []byte:
				_, _ = outW.Write(a)
			default:
				_ = outW.CloseWithError(io.ErrUnexpectedEOF)
				return
			}
		}
	}()
	d := must.Get(device.Over(inW, outR))
	t.Cleanup(func() { _ = inW.CloseWithError(io.EOF); d.Close() })
	return d
}

func descend(d *device.Device) error {
	s := matrix.New[float64](3, 3)
	for i := range 3 {
		s.Set(i, i, 1)
	}
	p := solve.Problem[float64]{D: 3, Score: score.NewLeastSquares[float64](s, 1), Constraint: &acyclic.Geometric[float64]{K: 16}}
	_, err := solve.RunAccelerated(device.Use(context.Background(), d), p, solve.NewReleased(1, 200), solve.NewAdam[float64](0.01), solve.Settings{Steps: 5}, nil)
	return err
}

// TestHostileAnswers checks that every invalid reply gives an error, and no panic, hang or result.
func TestHostileAnswers(t *testing.T) {
	huge := binary.LittleEndian.AppendUint32(nil, 1<<31)
	for name, at := range map[string]struct {
		op     string
		answer any
	}{
		"closed":             {device.OpOpen, nil},
		"an error":           {device.OpOpen, &device.Reply{Error: "out of memory"}},
		"a huge header":      {device.OpData, huge},
		"no JSON":            {device.OpLoad, append(binary.LittleEndian.AppendUint32(nil, 2), "{x"...)},
		"no points":          {device.OpPoint, &device.Reply{Stuck: []bool{false}}},
		"points of another":  {device.OpPoint, &device.Reply{Points: [][][3]float64{{}, {}}, Stuck: []bool{false, false}}},
		"two points":         {device.OpPoint, &device.Reply{Points: [][][3]float64{{{1, 1, 1}, {1, 1, 1}}}, Stuck: []bool{false}}},
		"too many points":    {device.OpAdvance, &device.Reply{Points: [][][3]float64{make([][3]float64, 50)}, Stuck: []bool{false}}},
		"closed on the way":  {device.OpAdvance, nil},
		"a short matrix":     {device.OpFetch, &device.Reply{Blobs: [][]byte{{1}, {2}, {3}}}},
		"two matrices":       {device.OpFetch, &device.Reply{Blobs: [][]byte{{1}, {2}}}},
		"an error at fetch":  {device.OpFetch, &device.Reply{Error: "CUDA_ERROR_UNKNOWN (999)"}},
		"a blob of -1 bytes": {device.OpFetch, append(binary.LittleEndian.AppendUint32(nil, 14), `{"sizes":[-1]}`...)},
	} {
		t.Run(name, func(t *testing.T) {
			d := scripted(t, func(q device.Request) any {
				if q.Op == at.op {
					return at.answer
				}
				n := 1
				if q.Op == device.OpAdvance {
					n = q.Steps
				}
				return &device.Reply{Cards: []device.Info{{Name: "scripted"}}, Session: 1, Points: [][][3]float64{make([][3]float64, n)}, Stuck: []bool{false}}
			})
			if err := descend(d); err == nil {
				t.Error("nothing was said")
			}
		})
	}
}

// TestDescribe checks that the error names the unsupported part, and that such a problem runs on the CPU.
func TestDescribe(t *testing.T) {
	s := matrix.New[float64](2, 2)
	s.Set(0, 0, 1)
	s.Set(1, 1, 1)
	adam := solve.NewAdam[float64](0.01)
	known := solve.Problem[float64]{D: 2, Score: score.NewLeastSquares[float64](s, 1), Constraint: &acyclic.Geometric[float64]{K: 16}, Penalty: solve.MCP[float64]{Lambda: 1, Width: 2}}
	if p, moments, err := device.Describe(known, adam); err != nil || moments.Rows != 2 || p.Penalty != device.MCP || p.Width != 2 || p.Bits != 64 {
		t.Errorf("%+v, %v", p, err)
	}
	other := known
	other.Constraint = &acyclic.Truncated[float64]{}
	if _, _, err := device.Describe(other, adam); err == nil || !strings.Contains(err.Error(), "Truncated") {
		t.Errorf("TMPI: %v", err)
	}
	d := scripted(t, func(q device.Request) any {
		if q.Op != device.OpCard {
			t.Errorf("the device was asked for %s", q.Op)
		}
		return &device.Reply{}
	})
	ctx := device.Use(context.Background(), d)
	if _, err := solve.RunAccelerated(ctx, other, solve.NewReleased(1, 200), adam, solve.Settings{Steps: 3}, nil); err != nil {
		t.Error(err)
	}
	if used, why := device.Used(ctx); used || !strings.Contains(why, "Truncated") {
		t.Errorf("used %v, %q", used, why)
	}
}

func TestMessagesSurviveTheWay(t *testing.T) {
	var b bytes.Buffer
	q := device.Request{Op: device.OpLoad, Session: 3, Taken: 7, Sizes: []int{2, 0, 3}}
	must.Succeed(t, device.Send(&b, q, [][]byte{{1, 2}, {}, {3, 4, 5}}))
	for cut := range b.Len() {
		var got device.Request
		if _, err := device.Receive(bytes.NewReader(b.Bytes()[:cut]), &got, func() []int { return got.Sizes }); err == nil {
			t.Fatalf("a message cut at %d of %d bytes was read", cut, b.Len())
		}
	}
	var got device.Request
	room := [][]byte{make([]byte, 2), nil, make([]byte, 4)} // for the first, and too much for the last
	blobs, err := device.Receive(&b, &got, func() []int { return got.Sizes }, room...)
	if err != nil || got.Taken != 7 || len(blobs) != 3 || !bytes.Equal(blobs[2], []byte{3, 4, 5}) || !bytes.Equal(room[0], []byte{1, 2}) || !bytes.Equal(room[2], make([]byte, 4)) {
		t.Errorf("%+v %v %v, room %v", got, blobs, err, room)
	}
}
