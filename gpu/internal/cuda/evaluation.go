package cuda

import (
	"errors"

	"github.com/polydag/polydag/gpu/device"
	"github.com/polydag/polydag/gpu/internal/cuda/internal/ptx"
)

// An evaluation has memory on a GPU and a graph of launches that is replayed for each request.
type evaluation struct {
	card  *card
	base  uintptr
	graph uintptr
}

// A responder is a session that handles the requests about it.
type responder interface {
	respond(q *device.Request) (*device.Reply, error)
	close() error
}

// A start is a launch without addresses.
type start struct {
	kernel  string
	x, y, z int
	args    []argument
}

// An argument is a number, or a byte offset in the memory of an evaluation.
type argument struct {
	place bool
	value int
}

func is(v int) argument { return argument{false, v} }

// pieces computes the aligned offsets of consecutive pieces of memory.
func pieces(sizes []int) (at []int, bytes int) {
	for _, size := range sizes {
		at = append(at, bytes)
		bytes += filled(size, 256)
	}
	return at, bytes
}

// filled rounds n up to a multiple.
func filled(n, to int) int { return (n + to - 1) / to * to }

// mostRows and mostWidth limit rows, and columns and units, so that no size of a plan overflows.
const (
	mostRows  = 1 << 31
	mostWidth = 1 << 20
)

// tiles returns the number of tiles of a padded matrix.
func tiles(rows, columns int) int { return rows / ptx.Side * (columns / ptx.Side) }

// across returns the number of blocks for the given number of entries.
func across(entries int) int { return min((entries+ptx.Threads-1)/ptx.Threads, 1024) }

// newEvaluation allocates zeroed memory and captures the launches. who names its user in errors.
func newEvaluation(card *card, bits, bytes int, launches []start, who string) (*evaluation, error) {
	kernels, err := card.rowKernels(bits)
	if err != nil {
		return nil, err
	}
	base, err := card.reserve(bytes, who)
	if err != nil {
		return nil, err
	}
	e := &evaluation{card: card, base: base}
	if err = card.clear(base, bytes); err == nil {
		e.graph, err = card.capture(func() error {
			for _, l := range launches {
				args := make([]uint64, len(l.args))
				for i, a := range l.args {
					if args[i] = uint64(a.value); a.place {
						args[i] += uint64(base)
					}
				}
				if err := card.launch(kernels[l.kernel], l.x, l.y, l.z, ptx.Threads, args...); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err != nil {
		return nil, errors.Join(err, e.close())
	}
	return e, nil
}

func (e *evaluation) close() error {
	var err error
	if e.graph != 0 {
		err = e.card.do("cuGraphExecDestroy", e.graph)
	}
	return errors.Join(err, e.card.free(e.base))
}

// put copies a blob to the device asynchronously.
func (e *evaluation) put(at int, blob []byte) error { return e.card.upLater(blob, e.base+uintptr(at)) }

// find replays the launches and reads their result.
func (e *evaluation) find(into []byte, at int) error {
	if err := e.card.replay(e.graph); err != nil {
		return err
	}
	return e.card.down(into, e.base+uintptr(at))
}
