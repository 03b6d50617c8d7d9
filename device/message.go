package device

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
)

// Version of the messages between the command and the program that drives a card. Both must have the same.
const Version = 6

// Request is what the command asks. Blobs follow it: matrices as the machine stores them, row after row.
type Request struct {
	Op      string       `json:"op"`
	Version int          `json:"version,omitempty"`
	Card    int          `json:"card,omitempty"`
	Session int          `json:"session,omitempty"`
	Problem *Problem     `json:"problem,omitempty"`
	Index   int          `json:"index,omitempty"`  // of a problem in its batch
	Taken   int          `json:"taken,omitempty"`  // steps that the moments come from
	Halved  int          `json:"halved,omitempty"` // how often the rate was halved
	Only    bool         `json:"only,omitempty"`   // fetch W alone
	Steps   int          `json:"steps,omitempty"`
	Now     [][3]float64 `json:"now,omitempty"`  // weights of score and h, and h itself
	Bend    float64      `json:"bend,omitempty"` // curvature of the weight of h, for a search
	Rest    [][3]float64 `json:"rest,omitempty"`
	Sizes   []int        `json:"sizes,omitempty"`

	Blobs [][]byte `json:"-"`
	Into  [][]byte `json:"-"` // where the blobs of the answer may go
}

// The requests.
const (
	OpList    = "list"    // the cards
	OpCard    = "card"    // open one
	OpOpen    = "open"    // a batch of problems of one kind
	OpData    = "data"    // S of one of them and, if masked, its mask; of rows, the table
	OpLoad    = "load"    // W and Adam's moments, or the pairs of OWLQN
	OpPoint   = "point"   // evaluate
	OpAdvance = "advance" // take steps
	OpFetch   = "fetch"   // W and Adam's moments, or the pairs of OWLQN
	OpSearch  = "search"  // take one step of OWLQN
	OpValues  = "values"  // of rows: evaluate at the parameters that come with it; their gradients go back
	OpProfile = "profile" // time the launches of a step
	OpClose   = "close"   // a session
)

// Reply is the answer.
type Reply struct {
	Error   string         `json:"error,omitempty"`
	Full    bool           `json:"full,omitempty"`  // the error is that of memory
	Stuck   []bool         `json:"stuck,omitempty"` // of each problem: it met a value that cannot be used
	Still   bool           `json:"still,omitempty"` // the step of a search moved nothing
	Cards   []Info         `json:"cards,omitempty"`
	Session int            `json:"session,omitempty"`
	Points  [][][3]float64 `json:"points,omitempty"` // of each problem: score, penalty, h
	Shares  []Share        `json:"shares,omitempty"`
	Seconds float64        `json:"seconds,omitempty"`
	Sizes   []int          `json:"sizes,omitempty"`

	Blobs [][]byte `json:"-"`
}

// The largest header and blob that are read: a message beyond is not ours.
const (
	maxHeader = 64 << 20
	MaxBlob   = 8 << 30
)

// Buffer is the size of the buffers on the way. A matrix is larger and goes past them.
const Buffer = 1 << 16

// Send writes a message: the length of its header, the header as JSON, the blobs.
func Send(w io.Writer, header any, blobs [][]byte) error {
	text, err := json.Marshal(header)
	if err != nil {
		return err
	}
	if _, err := w.Write(append(binary.LittleEndian.AppendUint32(nil, uint32(len(text))), text...)); err != nil {
		return err
	}
	for _, b := range blobs {
		if _, err := w.Write(b); err != nil {
			return err
		}
	}
	return nil
}

// Receive reads a header; sizes says how long the blobs are that follow it. A blob goes where into has room of its length for it, if there is, and
// into new memory otherwise.
func Receive(r io.Reader, header any, sizes func() []int, into ...[]byte) ([][]byte, error) {
	var n [4]byte
	if _, err := io.ReadFull(r, n[:]); err != nil {
		return nil, err
	}
	length := binary.LittleEndian.Uint32(n[:])
	if length > maxHeader {
		return nil, fmt.Errorf("a message of %d bytes", length)
	}
	text := make([]byte, length)
	if _, err := io.ReadFull(r, text); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, header); err != nil {
		return nil, err
	}
	var blobs [][]byte
	for i, size := range sizes() {
		if size < 0 || size > MaxBlob {
			return nil, fmt.Errorf("a blob of %d bytes", size)
		}
		var b []byte
		if i < len(into) && len(into[i]) == size {
			b = into[i]
		} else {
			b = make([]byte, size)
		}
		if _, err := io.ReadFull(r, b); err != nil {
			return nil, err
		}
		blobs = append(blobs, b)
	}
	return blobs, nil
}
