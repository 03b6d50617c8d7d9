package prepare

import (
	"slices"

	"github.com/polydag/polydag/dataset"
)

const (
	// zeroNeighbours is the number of smallest values above 0 whose distances are compared with that of the smallest to 0.
	zeroNeighbours = 10
	// zeroGap is the least distance to 0 in median distances of these values, and zeroShare the least one in medians of the column.
	zeroGap   = 3
	zeroShare = 0.1
)

// loneZeros returns how often a column is 0 if 0 is apart from its other values, all of which are larger, as in a column of blood
// pressures. Such zeros often stand for missing values. Counts and amounts have values close to 0.
func (s *columnStats) loneZeros() int {
	if s.min != 0 || s.distinct.slots == nil {
		return 0
	}
	zeros := 0
	var above []float64
	times := map[float64]int{}
	s.distinct.each(func(v float64, k int) {
		if v == 0 {
			zeros = k
			return
		}
		above, times[v] = append(above, v), k
	})
	if len(above) < 2*zeroNeighbours {
		return 0
	}
	slices.Sort(above)
	var gaps []float64
	for k := range zeroNeighbours {
		gaps = append(gaps, above[k+1]-above[k])
	}
	slices.Sort(gaps)
	middle, left := 0.0, (s.n-zeros)/2
	for _, v := range above {
		if left -= times[v]; left < 0 {
			middle = v
			break
		}
	}
	if above[0] < zeroGap*gaps[len(gaps)/2] || above[0] < zeroShare*middle {
		return 0
	}
	return zeros
}

// wordZeros counts the zeros of each column, by the words of the column of targets. A column that is knocked out is 0, and that is no
// missing value.
type wordZeros struct{ by [][]int32 }

// add counts rows whose last value is the index of a word.
func (z *wordZeros) add(rows []float64, width int) {
	for ; len(rows) > 0; rows = rows[width:] {
		k := int(rows[width-1])
		for k >= len(z.by) {
			z.by = append(z.by, nil)
		}
		if z.by[k] == nil {
			z.by[k] = make([]int32, width-1)
		}
		for j, x := range rows[:width-1] {
			if x == 0 {
				z.by[k][j]++
			}
		}
	}
}

// forgive subtracts the zeros in rows with an intervention on the column from those that may stand for missing values. of has the regime
// of each word, or -1.
func (z *wordZeros) forgive(p *dataset.Profile, names []string, r *dataset.Regimes, of []int) {
	set := make([]int, len(names))
	for k, zeros := range z.by {
		if zeros == nil || of[k] < 0 {
			continue
		}
		for _, v := range r.Targets[of[k]] {
			set[v] += int(zeros[v])
		}
	}
	for i := range p.Columns {
		c := &p.Columns[i]
		if v := slices.Index(names, c.Name); v >= 0 && c.Suspect == 0 {
			if c.Suspects -= set[v]; c.Suspects <= 0 {
				c.Suspects, c.SuspectLone = 0, false
			}
		}
	}
}
