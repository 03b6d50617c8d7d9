package prepare

import (
	"fmt"

	"github.com/polydag/polydag/dataset"
)

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
