package counts

// Part returns the table of the rows k, k + of, k + 2·of, … of this one, or of the rows before merging, with
// their weights. Levels stay even if no row of the part has them, so that scores of parts are comparable. 0 <=
// k < of; it returns nil if there are no such rows. O(n·d/of).
func (t *Data) Part(k, of int) *Data {
	if t.dealt != nil {
		return t.joinedPart(k, of)
	}
	var rows []int
	for i := k; i < t.rows; i += of {
		rows = append(rows, i)
	}
	if len(rows) == 0 {
		return nil
	}
	u := &Data{rows: len(rows), columns: make([]column, len(t.columns)), runs: make([][]run, len(t.columns)), targets: t.targets, binary: t.binary}
	for v := range t.columns {
		u.columns[v] = t.columns[v].gather(rows)
		u.columns[v].setBits()
		if v > 0 && len(t.runs[v]) > 0 && len(t.runs[v-1]) > 0 && &t.runs[v][0] == &t.runs[v-1][0] {
			u.runs[v] = u.runs[v-1] // shared, as in t
			continue
		}
		for _, r := range t.runs[v] {
			// Row k + of·i is below bound if i is below (bound - k)/of, rounded up.
			part := run{max(0, r.lo-k+of-1) / of, max(0, r.hi-k+of-1) / of}
			if part.lo < part.hi {
				u.runs[v] = append(u.runs[v], part)
			}
		}
	}
	u.lanes = newLanes(u)
	u.setWeights(reorder(t.weights, rows))
	return u
}

// Arranged returns the same table with column v equal to column order[v] of t. It costs O(n·d) for the lanes;
// everything else is shared.
func (t *Data) Arranged(order []int) *Data {
	u := *t
	u.columns, u.runs, u.totals = make([]column, len(order)), make([][]run, len(order)), make([]uint64, len(order))
	for v, from := range order {
		u.columns[v], u.runs[v], u.totals[v] = t.columns[from], t.runs[from], t.totals[from]
	}
	u.lanes = newLanes(&u)
	if t.joints != nil {
		u.joints = newJoints()
	}
	return &u
}
