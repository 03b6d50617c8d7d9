package prepare

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/polydag/polydag/dataset"
)

// Fingerprint is the SHA-256 of names, rows, means and second moments and, if there are environments, of the environments.
func Fingerprint(m *dataset.Moments, r *dataset.Environments) (sum [sha256.Size]byte) {
	h := sha256.New()
	if r != nil {
		sum = Fingerprint(m, nil)
		h.Write(sum[:])
		for k, m := range r.Moments {
			fmt.Fprintf(h, "%q %v %x\n", r.Names[k], r.Targets[k], Fingerprint(m, nil))
		}
		h.Sum(sum[:0])
		return sum
	}
	fmt.Fprintf(h, "%d rows %q\n", m.N, m.Names)
	for d := len(m.Names); d > 0; d-- {
		var row []float64
		switch g := m.Gram(); {
		case g != nil:
			row = append(slices.Clone(g.Vector(d-1)), m.At(d-1, d-1))
		case m.OnDemand(): // the diagonal and the next entry; the scatter of all rows has the rest
			row = []float64{m.At(d-1, d-1), m.At(d-1, max(0, d-2))}
		default:
			row = m.Scatter[(d-1)*len(m.Names) : d*len(m.Names)]
		}
		b, _ := binary.Append(nil, binary.LittleEndian, row) // cannot fail on floats
		h.Write(b)
	}
	b, _ := binary.Append(nil, binary.LittleEndian, m.Mean)
	h.Write(b)
	h.Sum(sum[:0])
	return sum
}

// Learnable returns an error for moments that no method can learn from.
func Learnable(m *dataset.Moments) error {
	if err := m.Validate(); err != nil {
		return err
	}
	if len(m.Names) < 2 {
		return fmt.Errorf("%d columns, want at least 2", len(m.Names))
	}
	if m.N < 3 {
		return fmt.Errorf("%d rows, want at least 3: two points fit any line", m.N)
	}
	for k, v := range m.Scatter { // on demand, every entry is finite
		if d := len(m.Names); v-v != 0 {
			return fmt.Errorf("the second moment of %s and %s is %v; sum the table again", m.Names[k/d], m.Names[k%d], v)
		}
	}
	for j, std := range m.Std() {
		if !(std > 0) {
			return fmt.Errorf("column %d (%s): its values are so small that their variance is 0; multiply the column by a power of ten", j+1, m.Names[j])
		}
	}
	return nil
}
