package counts

// A Joiner gathers rows of codes and joins equal ones on the way, as long as that pays: a table of few different rows takes memory and time
// for those alone, beside four bytes a row. Joined or not, a table counts the same, and so do its parts.
type Joiner struct {
	// Columns is what new rows are appended to, a code to each column; Join takes them in.
	Columns [][]uint32

	dealt []uint32 // of each row, its place in Columns; nil where rows are not joined any more
	place map[string]uint32
	most  float64 // share of the rows that may differ at first
	key   []byte
}

// When joining is given up: after firstLook rows where nearly all of them differ, after secondLook where half of them do, and in the end where
// they are not leastJoined times as many as those that differ. Weights rule out some ways to count (bitLanesPay, Joined).
const (
	firstLook   = 1 << 10
	secondLook  = 1 << 14
	leastJoined = 4
)

// NewJoiner returns a joiner of rows with so many columns, with room for some rows. drawn says that the rows were drawn with replacement, so
// that a third of them are there twice and more whatever the table is.
func NewJoiner(columns, rows int, drawn bool) *Joiner {
	j := &Joiner{Columns: make([][]uint32, columns), dealt: make([]uint32, 0, rows), place: map[string]uint32{}, most: 0.9, key: make([]byte, 2*columns)}
	if drawn {
		j.most = 0.55
	}
	return j
}

// Join takes in the rows that were appended to Columns since it was called last. Codes are below 2^16.
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

// part makes of joined rows what they would be without.
func (j *Joiner) part() {
	for v, column := range j.Columns {
		all := make([]uint32, len(j.dealt), max(len(j.dealt), cap(j.dealt)))
		for i, at := range j.dealt {
			all[i] = column[at]
		}
		j.Columns[v] = all
	}
	j.dealt, j.place = nil, nil
}

// Table returns the table of all rows. Rows say nothing of weights and merging; with regimes, rows are not joined. It ends the joiner.
func (j *Joiner) Table(o Rows) (*Table, error) {
	if len(j.dealt) > 0 && (o.Regimes != nil || len(j.place)*leastJoined > len(j.dealt)) {
		j.part()
	}
	if len(j.dealt) == 0 { // given up, or never begun
		return New(j.Columns, o)
	}
	o.Weights = make([]uint32, len(j.place))
	for _, at := range j.dealt {
		o.Weights[at]++
	}
	t, err := New(j.Columns, o)
	if err == nil {
		t.dealt = j.dealt
	}
	return t, err
}

// Given returns the number of rows that the table was made of, before equal ones were joined.
func (t *Table) Given() int {
	if t.dealt != nil {
		return len(t.dealt)
	}
	return t.rows
}

// joinedPart is Part of a table of joined rows: the same rows, each as often as it is among k, k + of, k + 2·of, …
func (t *Table) joinedPart(k, of int) *Table {
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
