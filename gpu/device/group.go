package device

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/polydag/polydag/solve"
)

// group is a batch of problems of one kind on a device. Each member runs in its own goroutine. The group waits
// until all members have a request and then sends one command for all, to use the whole GPU. Results do not
// depend on the other members: each problem has its own memory and thread blocks, in a fixed order. The
// exception is a member that fails or must repeat steps carefully. It returns to the start of a command, and
// the length of commands depends on all members.
type group struct {
	device  *Device
	problem Problem // Batch is the number of slots
	session int

	mu      sync.Mutex
	taken   []bool
	away    map[int]bool // members that failed and take steps on the CPU
	pending map[int]*call
	begun   bool // no longer waits for more members
	late    *time.Timer
}

// patience is how long a group waits for its next member before it begins. Members that start together stay
// together, because each command takes the same number of steps for all. A late member makes the commands
// short.
const patience = 50 * time.Millisecond

// call is the pending request of one member.
type call struct {
	advance bool
	now     [3]float64
	steps   int
	rest    [3]float64

	done   chan struct{}
	points [][3]float64
	err    error
}

// Expect sets how many problems of one kind will run concurrently, each in its own goroutine. It applies to
// problems that start later.
func (d *Device) Expect(problems int) {
	d.groups.Lock()
	defer d.groups.Unlock()
	d.places = max(1, min(problems, MaxBatch))
}

// MaxBatch is the largest number of problems in one group; further problems form another group.
const MaxBatch = 256

// join takes a slot in a group for the problem and opens a new group if all are full.
func (d *Device) join(p Problem) (*group, int, error) {
	d.groups.Lock()
	defer d.groups.Unlock()
	p.Batch = max(1, d.places)
	for _, g := range d.open {
		if g.problem == p {
			if slot := g.take(); slot >= 0 {
				return g, slot, nil
			}
		}
	}
	session, err := d.openSession(&p)
	if err != nil {
		return nil, 0, err
	}
	g := &group{device: d, problem: p, session: session, taken: make([]bool, p.Batch), away: map[int]bool{}, pending: map[int]*call{}}
	d.open = append(d.open, g)
	return g, g.take(), nil
}

func (g *group) take() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	slot := slices.Index(g.taken, false)
	if slot < 0 {
		return slot
	}
	g.taken[slot] = true
	if g.late != nil {
		g.late.Stop()
	}
	if full := !slices.Contains(g.taken, false); full {
		g.begun = true
	} else if !g.begun {
		g.late = time.AfterFunc(patience, func() {
			g.mu.Lock()
			defer g.mu.Unlock()
			g.begun = true
			g.flush()
		})
	}
	return slot
}

// leave frees the slot. The last member closes the group.
func (g *group) leave(slot int) error {
	d := g.device
	d.groups.Lock()
	defer d.groups.Unlock()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.taken[slot] = false
	delete(g.away, slot)
	g.flush()
	if slices.Contains(g.taken, true) {
		return nil
	}
	d.open = slices.DeleteFunc(d.open, func(o *group) bool { return o == g })
	_, err := d.ask(&Request{Op: OpClose, Session: g.session})
	return err
}

// send sends a request of one problem without waiting for the others.
func (g *group) send(slot int, q *Request) (*Reply, error) {
	q.Session, q.Index = g.session, slot
	g.mu.Lock()
	defer g.mu.Unlock()
	reply, err := g.device.ask(q)
	if err != nil {
		return nil, err
	}
	if len(reply.Stuck) == 1 && reply.Stuck[0] {
		g.away[slot] = true
		g.flush()
		return nil, solve.ErrStuck
	}
	if q.Op == OpLoad {
		delete(g.away, slot)
	}
	return reply, nil
}

// wait submits the request of a member and returns when it is done.
func (g *group) wait(slot int, c *call) ([][3]float64, error) {
	c.done = make(chan struct{})
	g.mu.Lock()
	g.pending[slot] = c
	g.flush()
	g.mu.Unlock()
	<-c.done
	return c.points, c.err
}

// present returns the number of members that will submit a request next.
func (g *group) present() int {
	n := -len(g.away)
	for _, t := range g.taken {
		if t {
			n++
		}
	}
	return n
}

// flush works while every present member has a pending request. Evaluations come first and include the members
// that wait for steps. That does not change their results, except for the last digits if another member needs a
// careful evaluation.
func (g *group) flush() {
	for g.begun && len(g.pending) > 0 && len(g.pending) == g.present() {
		q := &Request{Op: OpPoint, Session: g.session}
		steps := true
		for _, c := range g.pending {
			steps = steps && c.advance
		}
		if steps {
			q.Op, q.Now, q.Rest = OpAdvance, make([][3]float64, g.problem.Batch), make([][3]float64, g.problem.Batch)
			q.Steps = -1
			for slot, c := range g.pending {
				q.Now[slot], q.Rest[slot] = c.now, c.rest
				if q.Steps < 0 || c.steps < q.Steps {
					q.Steps = c.steps
				}
			}
		}
		reply, err := g.device.ask(q)
		if err == nil && (len(reply.Points) != g.problem.Batch || len(reply.Stuck) != g.problem.Batch) {
			err = fmt.Errorf("the device answered for %d problems, want %d: %w", len(reply.Points), g.problem.Batch, ErrLost)
		}
		for slot, c := range g.pending {
			if c.advance != steps {
				continue
			}
			switch {
			case err != nil:
				c.err = err
			case reply.Stuck[slot]:
				c.err = solve.ErrStuck
				g.away[slot] = true
			default:
				c.points = reply.Points[slot]
			}
			delete(g.pending, slot)
			close(c.done)
		}
	}
}
