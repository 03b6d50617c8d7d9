package device

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
)

// Version is the version of the messages between polydag and polydag-cuda. Both must have the same.
const Version = 6

// Request is a message to polydag-cuda. Blobs follow it: matrices in the byte order of the machine, row by row.
type Request struct {
	Op      string       `json:"op"`
	Version int          `json:"version,omitempty"`
	Card    int          `json:"card,omitempty"`
	Session int          `json:"session,omitempty"`
	Problem *Problem     `json:"problem,omitempty"`
	Index   int          `json:"index,omitempty"`  // index of a problem in its batch
	Taken   int          `json:"taken,omitempty"`  // step count of the moments
	Halved  int          `json:"halved,omitempty"` // number of halvings of the rate
	Only    bool         `json:"only,omitempty"`   // fetch only W
	Steps   int          `json:"steps,omitempty"`
	Now     [][3]float64 `json:"now,omitempty"`  // weights of score and h, and h itself
	Bend    float64      `json:"bend,omitempty"` // curvature of the weight of h, for a search
	Rest    [][3]float64 `json:"rest,omitempty"`
	Sizes   []int        `json:"sizes,omitempty"`

	Blobs [][]byte `json:"-"`
	Into  [][]byte `json:"-"` // memory for the blobs of the reply
}

// These are the operations of a Request.
const (
	OpList    = "list"    // list the GPUs
	OpCard    = "card"    // open a GPU
	OpOpen    = "open"    // open a session for a batch of problems of one kind
	OpData    = "data"    // send S of one problem and, if masked, its mask; for scores of rows, the table
	OpLoad    = "load"    // send W and Adam's moments, or the pairs of OWLQN
	OpPoint   = "point"   // evaluate
	OpAdvance = "advance" // take steps
	OpFetch   = "fetch"   // get W and Adam's moments, or the pairs of OWLQN
	OpSearch  = "search"  // take one step of OWLQN
	OpValues  = "values"  // for scores of rows: evaluate at the given parameters and return the gradients
	OpProfile = "profile" // time the launches of a step
	OpClose   = "close"   // close a session
)

// Reply is the reply to a Request.
type Reply struct {
	Error   string         `json:"error,omitempty"`
	Full    bool           `json:"full,omitempty"`  // the error is a lack of memory
	Stuck   []bool         `json:"stuck,omitempty"` // by problem: a value is not finite
	Still   bool           `json:"still,omitempty"` // the step of a line search did not move
	Cards   []Info         `json:"cards,omitempty"`
	Session int            `json:"session,omitempty"`
	Points  [][][3]float64 `json:"points,omitempty"` // by problem and step: score, penalty, h
	Shares  []Share        `json:"shares,omitempty"`
	Seconds float64        `json:"seconds,omitempty"`
	Sizes   []int          `json:"sizes,omitempty"`

	Blobs [][]byte `json:"-"`
}

// Larger headers and blobs are rejected as invalid messages.
const (
	maxHeader = 64 << 20
	MaxBlob   = 8 << 30
)

// Buffer is the size of the pipe buffers. Matrices are usually larger and bypass them.
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

// Receive reads a header and the blobs that follow it; sizes returns their lengths. A blob is stored in the
// corresponding slice of into if the lengths agree, and in new memory otherwise.
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
