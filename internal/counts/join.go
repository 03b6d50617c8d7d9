package counts

// A Joiner collects rows of codes and merges equal ones while that pays. A table with few distinct rows then
// needs memory and time only for these, plus four bytes per row. Merging does not change the counts of a table
// or of its parts.
type Joiner struct {
	// Columns is where new rows are appended, one code per column; Join then processes them.
	Columns [][]uint16

	dealt []uint32 // by row: its index in Columns; nil after merging was given up
	place map[string]uint32
	most  float64 // largest share of distinct rows at the first check
	key   []byte
}

// Merging is given up after firstLook rows if nearly all differ, after secondLook rows if half of them differ,
// and at the end if there are fewer than leastJoined rows per distinct row. Weights prevent counting from
// joints (Joined).
const (
	firstLook   = 1 << 10
	secondLook  = 1 << 14
	leastJoined = 4
)

// NewJoiner returns a joiner for the given number of columns, with capacity for some rows. drawn means that the
// rows were sampled with replacement, so that about a third are duplicates in any case.
func NewJoiner(columns, rows int, drawn bool) *Joiner {
	j := &Joiner{Columns: make([][]uint16, columns), dealt: make([]uint32, 0, rows), place: map[string]uint32{}, most: 0.9, key: make([]byte, 2*columns)}
	if drawn {
		j.most = 0.55
	}
	return j
}

// Join processes the rows appended to Columns since the last call.
func (j *Joiner) Join() {
	if j.dealt == nil {
		return
	}
	to := uint32(len(j.place))
	for i := int(to); i < len(j.Columns[0]); i++ {
		for v, column := range j.Columns {
			code := column[i]
			j.key[2*v], j.key[2*v+1] = byte(code), byte(code>>8)
		}
		at, ok := j.place[string(j.key)]
		if !ok {
			at = to
			j.place[string(j.key)] = at
			for _, column := range j.Columns {
				column[at] = column[i]
			}
			to++
		}
		j.dealt = append(j.dealt, at)
	}
	for v := range j.Columns {
		j.Columns[v] = j.Columns[v][:to]
	}
	if n, different := float64(len(j.dealt)), float64(to); n >= firstLook && different > j.most*n || n >= secondLook && different > n/2 {
		j.part()
	}
}

// part undoes the merging.
func (j *Joiner) part() {
	for v, column := range j.Columns {
		all := make([]uint16, len(j.dealt), max(len(j.dealt), cap(j.dealt)))
		for i, at := range j.dealt {
			all[i] = column[at]
		}
		j.Columns[v] = all
	}
	j.dealt, j.place = nil, nil
}

// Table returns the table of all rows. o must not set weights or merging; with environments, rows are not merged.
// The joiner cannot be used afterwards.
func (j *Joiner) Table(o Rows) (*Data, error) {
	if len(j.dealt) > 0 && (o.Environments != nil || len(j.place)*leastJoined > len(j.dealt)) {
		j.part()
	}
	if len(j.dealt) == 0 { // merging was given up or never started
		return build(j.Columns, o, true)
	}
	o.Weights = make([]uint32, len(j.place))
	for _, at := range j.dealt {
		o.Weights[at]++
	}
	t, err := build(j.Columns, o, true)
	if err == nil {
		t.dealt = j.dealt
	}
	return t, err
}

// Given returns the number of rows before equal ones were merged.
func (t *Data) Given() int {
	if t.dealt != nil {
		return len(t.dealt)
	}
	return t.rows
}

// joinedPart is Part for a table of merged rows. It has the same rows, each with the number of its occurrences
// among k, k + of, k + 2·of, …
func (t *Data) joinedPart(k, of int) *Data {
	var dealt []uint32
	weights := make([]uint32, t.rows)
	for i := k; i < len(t.dealt); i += of {
		dealt = append(dealt, t.dealt[i])
		weights[t.dealt[i]]++
	}
	if dealt == nil {
		return nil
	}
	u := *t
	u.dealt = dealt
	u.setWeights(weights)
	return &u
}
