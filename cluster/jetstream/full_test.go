//go:build linux

package jetstream

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"github.com/polydag/polydag/cluster/hub"
	"github.com/polydag/polydag/internal/must"
)

// stalled runs a job on a full server until that is reported, makes room, and compares the outcome with the
// local one.
func stalled(t *testing.T, connect func() *Client, room func()) {
	t.Helper()
	job := toyJob(t, numbers(150, toy{Size: 20_000})...)
	var heard said
	var got string
	var err error
	var group sync.WaitGroup
	submitter, worker := connect(), connect()
	submitter.Warn, worker.Warn = heard.add, heard.add
	working(t, worker, Worker{})
	group.Go(func() { got, err = merged(t.Context(), &Submitter{submitter, nil}, job) })
	eventually(t, "it is said that there is no room", func() bool { return heard.has("no room") || heard.has("does not answer") })
	room()
	group.Wait()
	if err != nil || got != local(t, job) {
		t.Fatalf("%v; %d bytes; said: %q", err, len(got), heard.text)
	}
}

// TestFullStore checks that a server at its storage limit accepts nothing, and that the new job continues after
// an old one is deleted.
func TestFullStore(t *testing.T) {
	t.Parallel()
	h := inside(t, hub.Settings{MaxStore: 5 << 20})
	old := toyJob(t, numbers(150, toy{Size: 20_000, Pause: 1})...)
	stop := working(t, client(t, h), Worker{})
	c := client(t, h)
	must.Get(merged(t.Context(), &Submitter{c, nil}, old))
	stop()
	stalled(t, func() *Client { return client(t, h) }, func() {
		if err := c.Delete(t.Context(), mustRecord(t, old, c.door).ID); err != nil {
			t.Error(err)
		}
	})
}

// TestFullDisk uses a small file system in memory: stored data stays, and the job continues when there is
// space.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64m"); err != nil {
		t.Skipf("cannot mount a small file system here, which takes root: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	address := fmt.Sprintf("127.0.0.1:%d", freePorts(t, 1)[0])
	launch(t, t.TempDir(), role{Kind: "server", Hub: hub.Settings{Store: filepath.Join(dir, "store"), Listen: address}})
	watch(t, "nats://"+address)
	connect := func() *Client {
		c := must.Get(Connect(t.Context(), Connection{URL: "nats://" + address, Timing: quick}))
		t.Cleanup(c.Close)
		return c
	}
	ballast := filepath.Join(dir, "ballast")
	f := must.Get(os.Create(ballast))
	for block := make([]byte, 64<<10); ; {
		if _, err := f.Write(block); errors.Is(err, syscall.ENOSPC) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	f.Close()
	stalled(t, connect, func() { // the server sees it, and starts again when there is room
		if err := os.Remove(ballast); err != nil {
			t.Error(err)
		}
	})
}
