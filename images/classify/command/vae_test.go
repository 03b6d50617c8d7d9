package command

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/solve"
)

// pendulums draws images of a pendulum and returns the folder, with the images in it, the labels and the true edges.
func pendulums(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	program(t, "simulate", "--images", filepath.Join(dir, "images"), "--set", "scene=half-pendulum", "--set", "image-side=16", "--rows", "60",
		"--output", filepath.Join(dir, "labels.csv"), "--truth", filepath.Join(dir, "truth.csv"))
	return dir
}

// readResult reads the result of a run.
func readResult(t *testing.T, file string) *polydag.Result {
	t.Helper()
	f, err := os.Open(file)
	must.Succeed(t, err)
	defer f.Close()
	res := must.Get(polydag.ReadResult(f))
	return res
}

// TestVAE goes from drawn images to a graph and a table, both of which polydag reads. The table does not depend on the number of threads.
func TestVAE(t *testing.T) {
	dir := pendulums(t)
	in := func(name string) string { return filepath.Join(dir, name) }
	flags := []string{"vae", in("images"), "--size", "16", "--hidden", "12", "--batch", "8", "--passes", "20", "--multiplier-passes", "4", "--rate", "0.01", "--output", in("result.json")}
	labelled := append(flags, "--labels", in("labels.csv"))
	said := images(t, 0, append(labelled, "--table", in("one.csv"), "--threads", "1")...)
	for _, want := range []string{"4 factors from 48 images (16 × 16 pixels), 48 with labels", "12 held-out images", "shadow_length", "Learned"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not said:\n%s", want, said)
		}
	}
	res := readResult(t, in("result.json"))
	if res.Method != "causal-vae" || res.Status != solve.Completed || len(res.Table.Notes) < 4 {
		t.Errorf("method %s, status %s, notes %q", res.Method, res.Status, res.Table.Notes)
	}
	program(t, "evaluate", "--truth", in("truth.csv"), in("result.json"))
	program(t, "learn", in("one.csv"))
	images(t, 0, append(labelled, "--table", in("two.csv"), "--threads", "3", "--quiet")...)
	one := must.Get(os.ReadFile(in("one.csv")))
	if two, err := os.ReadFile(in("two.csv")); err != nil || !bytes.Equal(one, two) {
		t.Errorf("three threads give another table, %v", err)
	}
	said = images(t, 0, append(flags, "--factors", "3", "--color")...)
	if names := readResult(t, in("result.json")).Names; len(names) == 0 || names[0] != "factor1" || !strings.Contains(said, "Nothing identifies the factors") {
		t.Errorf("factors %v:\n%s", names, said)
	}
}

// TestVAEStops interrupts a run that has saved a state. It writes its result, and its exit code is 3.
func TestVAEStops(t *testing.T) {
	dir := pendulums(t)
	in := func(name string) string { return filepath.Join(dir, name) }
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		for ctx.Err() == nil {
			if saved, _ := filepath.Glob(in("states/state-*")); len(saved) > 0 {
				stop()
			}
			time.Sleep(time.Millisecond)
		}
	}()
	var out bytes.Buffer
	code := Main(ctx, []string{"vae", in("images"), "--labels", in("labels.csv"), "--output", in("result.json"), "--size", "16", "--hidden", "8", "--passes", "1000000", "--checkpoint", in("states")}, &out, &out)
	if code != 3 || !strings.Contains(out.String(), "the result so far is written") {
		t.Errorf("exit code %d:\n%s", code, out.String())
	}
	if status := readResult(t, in("result.json")).Status; status != solve.Canceled {
		t.Errorf("status %s", status)
	}
}

// TestVAEFaults checks what is said about invalid flags and labels.
func TestVAEFaults(t *testing.T) {
	dir := pendulums(t)
	in := func(name string) string { return filepath.Join(dir, name) }
	write(t, in("text.csv"), []byte("image,a,b\nscene000001.png,x,1\nscene000002.png,y,2\n"))
	write(t, in("others.csv"), []byte("image,a,b\nnone.png,1,1\n"))
	write(t, in("file.csv"), []byte("file,a,b\nnone.png,1,1\n"))
	for _, c := range []struct {
		code int
		want string
		args []string
	}{
		{2, "0 arguments, want one folder", []string{"vae"}},
		{2, "--output is missing", []string{"vae", in("images")}},
		{2, "8–128 pixels", []string{"--size", "4"}},
		{2, "want 2–100", []string{"--factors", "1"}},
		{2, "want 0–0.9", []string{"--held-out", "1"}},
		{2, "want at least 1", []string{"--threads", "0"}},
		{2, "no effect without --labels", []string{"--image-column", "file"}},
		{2, "--factors has no effect with --labels", []string{"--factors", "3", "--labels", in("labels.csv")}},
		{2, "rate", []string{"--rate", "0"}},
		{2, "one of geo, poly, exp", []string{"--constraint", "odd"}},
		{2, "no text for the names", []string{"--table", in("x.npy")}},
		{2, "no such column", []string{"--labels", in("file.csv")}},
		{1, "no image of column image is in the folder", []string{"--labels", in("others.csv")}},
		{1, "column a has no numbers", []string{"--labels", in("text.csv")}},
	} {
		args := c.args
		if args[0] != "vae" {
			args = append([]string{"vae", in("images"), "--output", in("result.json")}, args...)
		}
		if said := images(t, c.code, args...); !strings.Contains(said, c.want) {
			t.Errorf("%v: %q is not said:\n%s", c.args, c.want, said)
		}
	}
}
