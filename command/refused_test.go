package command

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polydag/polydag/gpu/device"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab"
)

// refuseAll is the program of a card that opens and takes no problem.
func refuseAll() {
	for {
		var q device.Request
		if _, err := device.Receive(os.Stdin, &q, func() []int { return q.Sizes }); err != nil {
			return
		}
		reply := &device.Reply{}
		switch q.Op {
		case device.OpCard:
			reply.Cards = []device.Info{{Name: "small"}}
		case device.OpOpen:
			reply.Error = "the rows take 99 MiB of the card's memory, and 1 MiB are free"
		}
		if err := device.Send(os.Stdout, reply, nil); err != nil {
			return
		}
	}
}

// TestRefusedByTheCard checks that --device auto continues on the CPU, with the same answer and the reason, if
// the GPU refuses the problem, and that --device cuda fails with a remedy.
func TestRefusedByTheCard(t *testing.T) {
	dir := t.TempDir()
	self, err := os.Executable()
	if err == nil {
		err = os.Symlink(self, filepath.Join(dir, device.Program))
	}
	if err != nil {
		t.Skipf("no program for a card: %v", err)
	}
	t.Setenv(device.Variable, filepath.Join(dir, device.Program))
	text := strings.Builder{}
	text.WriteString("a,b,c\n")
	for i := range 60 {
		a := i * i % 11
		fmt.Fprintf(&text, "%d.5,%d.25,%d\n", a, 2*a+i%3, i%2)
	}
	table := filepath.Join(dir, "table.csv")
	must.Succeed(t, os.WriteFile(table, []byte(text.String()), 0o600))
	for _, method := range [][]string{{"notears", "loss=by-column"}, {"notears", "loss=squares"}, {"gran-dag", "steps=20"}, {"dag-gnn", "steps=20"}} {
		learn := func(on string) (code int, said, graph string) {
			out := filepath.Join(dir, "graph.dot")
			_ = os.Remove(out)
			var stdout, stderr bytes.Buffer
			code = Run(context.Background(), lab.All, []string{"learn", table, "--method", method[0], "--set", method[1], "--device", on, "--export", out}, strings.NewReader(""), &stdout, &stderr, allWings...)
			found, _ := os.ReadFile(out)
			return code, stderr.String(), string(found)
		}
		code, _, want := learn("cpu")
		again, said, got := learn("auto")
		if again != code || got != want || want == "" || !strings.Contains(said, "the run used the CPU") || !strings.Contains(said, "99 MiB") {
			t.Errorf("%v: auto ends with %d, want %d; same graph: %v; it says %s", method, again, code, got == want, said)
		}
		if code, said, got := learn("cuda"); code != exitFailure || got != "" || !strings.Contains(said, "99 MiB") || !strings.Contains(said, "--device cpu") {
			t.Errorf("%v: cuda ends with %d, and says %s", method, code, said)
		}
	}
}
