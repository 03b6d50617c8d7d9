package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/polydag/polydag/cluster/hub"
)

// ErrStore is matched by the error of a server that must be restarted: after a full disk it does not write to
// its streams again, even if there is space.
var ErrStore = errors.New("the disk of the server was full")

// Wait returns nil when ctx ends, and an error when the server ends or must be restarted.
func (h *Hub) Wait(ctx context.Context) error {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	full := false
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		if !h.s.Running() {
			return errors.New("the server has ended")
		}
		room := h.room()
		if !full && (room != nil || h.log.starved.Load()) {
			full = true
			h.log.pass("the disk of %s is full; make room: nothing is stored until then", []any{h.store})
		}
		if room == nil && (full || !h.s.JetStreamEnabled()) {
			return ErrStore
		}
	}
}

// probe is the free space that the disk must have, in bytes.
const probe = 1 << 20

// room returns an error if the disk has no space for a small file.
func (h *Hub) room() (err error) {
	f, err := os.CreateTemp(h.store, "room-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(f.Name())) }()
	_, err = f.Write(make([]byte, probe))
	return err
}

// Serve runs a hub until ctx ends and restarts it after a full disk. ready, which may be nil, is called at the
// first start.
func Serve(ctx context.Context, o hub.Settings, ready func(url string)) error {
	say := o.Log
	if say == nil {
		say = func(string) {}
	}
	for first := true; ; first = false {
		h, err := Start(o)
		if err != nil && first {
			return err
		}
		if err == nil {
			if first && ready != nil {
				ready(h.URL())
			}
			err = h.Wait(ctx)
			h.Stop()
			if !errors.Is(err, ErrStore) {
				return err
			}
		}
		say(fmt.Sprintf("%v; the server is started again", err))
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return nil
		}
	}
}

// logger passes on warnings and errors of the server and ignores the rest.
type logger struct {
	to      func(string)
	starved atomic.Bool // the server has reported a full disk
}

func (l *logger) pass(format string, v []any) {
	text := fmt.Sprintf(format, v...)
	if strings.Contains(text, "no space left on device") || strings.Contains(text, "out of resources") {
		l.starved.Store(true)
	}
	if l.to != nil {
		l.to(text)
	}
}

func (l *logger) Noticef(string, ...any)         {}
func (l *logger) Warnf(format string, v ...any)  { l.pass(format, v) }
func (l *logger) Fatalf(format string, v ...any) { l.pass(format, v) }
func (l *logger) Errorf(format string, v ...any) { l.pass(format, v) }
func (l *logger) Debugf(string, ...any)          {}
func (l *logger) Tracef(string, ...any)          {}
