package serve

import (
	"net"
	"net/http"
	"slices"
	"sync"
)

// A Crowd limits the connections of an http.Server, as its hook ConnState. A connection beyond Most closes the one that has been quiet
// for the longest time: without a complete request, or between requests. Visitors who send nothing thus keep nobody out.
type Crowd struct {
	Most int

	mu    sync.Mutex
	all   map[net.Conn]bool
	quiet []net.Conn // the longest quiet first
}

// State is the hook.
func (c *Crowd) State(conn net.Conn, state http.ConnState) {
	if surplus := c.note(conn, state); surplus != nil {
		surplus.Close()
	}
}

// note records the state of a connection and returns one to close, or nil.
func (c *Crowd) note(conn net.Conn, state http.ConnState) net.Conn {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.all == nil {
		c.all = map[net.Conn]bool{}
	}
	c.quiet = slices.DeleteFunc(c.quiet, func(q net.Conn) bool { return q == conn })
	switch state {
	case http.StateNew, http.StateIdle:
		c.all[conn] = true
		c.quiet = append(c.quiet, conn)
	case http.StateClosed, http.StateHijacked:
		delete(c.all, conn)
	}
	if len(c.all) <= c.Most || len(c.quiet) == 0 {
		return nil
	}
	surplus := c.quiet[0]
	c.quiet = c.quiet[1:]
	delete(c.all, surplus)
	return surplus
}
