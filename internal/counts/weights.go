package counts

// Weight returns the weight of row i.
func (t *Data) Weight(i int) uint32 {
	if t.weights == nil {
		return 1
	}
	return t.weights[i]
}

// setWeights sets the weights, their bit planes and the totals. Plane b is the set of rows whose weight has bit
// b, so a count is the sum of 2^b times the size of an intersection with plane b.
func (t *Data) setWeights(weights []uint32) {
	t.weights, t.planes, t.joints = weights, nil, nil
	if weights == nil && !t.targets {
		t.joints = newJoints()
	}
	if weights == nil {
		all := make([]uint64, words(t.rows))
		setRange(all, run{0, t.rows})
		t.planes = [][]uint64{all}
	}
	for i, w := range weights {
		for b := 0; w>>b != 0; b++ {
			if b == len(t.planes) {
				t.planes = append(t.planes, make([]uint64, words(t.rows)))
			}
			t.planes[b][i/64] |= uint64(w>>b&1) << (i % 64)
		}
	}
	sum := uint64(0)
	for _, w := range weights {
		sum += uint64(w)
	}
	t.repeats = weights != nil && sum <= 4*uint64(t.rows)
	t.totals = make([]uint64, len(t.columns))
	for v, runs := range t.runs {
		if v > 0 && len(runs) > 0 && len(t.runs[v-1]) > 0 && &runs[0] == &t.runs[v-1][0] {
			t.totals[v] = t.totals[v-1]
			continue
		}
		for _, r := range runs {
			if weights == nil {
				t.totals[v] += uint64(r.hi - r.lo)
				continue
			}
			for _, w := range weights[r.lo:r.hi] {
				t.totals[v] += uint64(w)
			}
		}
	}
}

// setRange adds the rows of r to a bit set.
func setRange(set []uint64, r run) {
	for i := r.lo; i < r.hi; {
		if i%64 == 0 && i+64 <= r.hi {
			set[i/64] = ^uint64(0)
			i += 64
			continue
		}
		set[i/64] |= 1 << (i % 64)
		i++
	}
}

// findRuns finds, for every variable, the ranges of rows without an intervention on it. Rows are sorted by
// environment, and bounds has the starts, so there are at most as many ranges as environments. Variables without
// interventions share one list.
func (t *Data) findRuns(bounds []int, targets [][]int) {
	whole := []run{{0, t.rows}}
	t.runs = make([][]run, len(t.columns))
	set := make(map[int]map[int]bool) // variable → environments with an intervention on it
	for r, vs := range targets {
		for _, v := range vs {
			if set[v] == nil {
				set[v] = make(map[int]bool)
			}
			set[v][r] = true
		}
	}
	for v := range t.runs {
		if set[v] == nil {
			t.runs[v] = whole
			continue
		}
		for r := range len(bounds) - 1 {
			lo, hi := bounds[r], bounds[r+1]
			if lo == hi || set[v][r] {
				continue
			}
			if k := len(t.runs[v]); k > 0 && t.runs[v][k-1].hi == lo {
				t.runs[v][k-1].hi = hi
			} else {
				t.runs[v] = append(t.runs[v], run{lo, hi})
			}
		}
	}
}
