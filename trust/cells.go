package trust

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// missingShare of a column is what may lack before a way of filling it in shows in the graph.
const missingShare = 0.05

// sentinelDistance is beyond what a Gaussian column reaches in a billion rows.
const sentinelDistance = 6

// cells looks at what is no number: missing values and text.
func (e *examination) cells() {
	if e.p == nil {
		return
	}
	e.infinite()
	e.missing()
	e.text()
	e.sentinels()
}

// sentinels looks for numbers such as -999 in the place of missing values: the least or the greatest value of a column,
// farther than sentinelDistance standard deviations of the other values from their mean. With k of n values at v, the
// others have mean (n·mean - k·v)/(n-k) and mean square (n·(std² + mean²) - k·v²)/(n-k).
func (e *examination) sentinels() {
	var names, where, words []string
	for _, c := range e.out.Columns {
		k, n := float64(c.Suspects), float64(e.out.RowsRead-c.Missing-c.Infinite)
		if k == 0 || n-k < 2 || c.From != "" || c.Dropped != "" {
			continue
		}
		v := c.Suspect
		mean := (n*c.Mean - k*v) / (n - k)
		std := math.Sqrt(max(0, (n*(c.Std*c.Std+c.Mean*c.Mean)-k*v*v)/(n-k)-mean*mean))
		if math.Abs(v-mean) <= sentinelDistance*std {
			continue
		}
		names = append(names, c.Name)
		where = append(where, fmt.Sprintf("%s is %s in %s, the others are around %s", c.Name, number(v, 6), rows(c.Suspects), number(mean, 3)))
		if word := "--na " + number(v, 7); !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	if len(names) > 0 {
		e.add(Sentinel, Warning, names, fmt.Sprintf("numbers that often stand for missing values, far from all others: %s", list(where, 6)),
			strings.Join(words, " ")+" with --missing drop, mean or pairwise, if they do; formats other than CSV need the cells emptied")
	}
}

// infinite looks for infinities, which a look passes over and a run refuses.
func (e *examination) infinite() {
	var names, where []string
	for _, c := range e.out.Columns {
		if c.Infinite > 0 && c.From == "" {
			names = append(names, c.Name)
			where = append(where, fmt.Sprintf("%s (column %d) in %s, first in row %d", c.Name, c.Place, rows(c.Infinite), c.InfiniteRow))
		}
	}
	if len(names) > 0 {
		e.add(NotFinite, Error, names, fmt.Sprintf("infinite values, or numbers beyond 1.8e308: %s; learn stops at the first", list(where, 6)),
			"correct the cells; where they stand for missing values, --na with the word of the file (such as --na inf) and --missing drop, mean or pairwise; or "+flags("--drop", names))
	}
}

func (e *examination) missing() {
	var empty, names []string
	var share []float64
	worst := 0.0
	read := float64(max(e.out.RowsRead, 1))
	for _, c := range e.out.Columns {
		switch {
		case c.Missing == 0 || c.From != "":
		case c.Missing >= e.out.RowsRead:
			empty = append(empty, c.Name)
		default:
			names, share = append(names, c.Name), append(share, float64(c.Missing)/read)
			worst = max(worst, float64(c.Missing)/read)
		}
	}
	if len(empty) > 0 {
		e.add(Empty, Error, empty, fmt.Sprintf("%s %s no value at all", list(empty, 6), has(len(empty))), flags("--drop", empty))
	}
	if len(names) == 0 {
		return
	}
	what := fmt.Sprintf("values are missing in %s of %d rows: %s", plural(len(names), "column"), e.out.RowsRead,
		ranked(names, share, percent))
	lost := float64(e.dropped) / read
	var many []string // columns that miss a larger share
	for i, name := range names {
		if share[i] > missingShare {
			many = append(many, name)
		}
	}
	switch {
	case e.refuse.Missing:
		e.add(Missing, Error, names, what+"; learn stops at the first unless told what to do",
			"--missing drop (rows), --missing mean (fill in) or --missing pairwise (use what is there); or "+flags("--drop", names))
	case lost > missingShare:
		e.add(Missing, Warning, names, fmt.Sprintf("%s; dropping rows left %d of %d (%s lost), and what is left may differ from what is gone", what, e.out.RowsRead-e.dropped, e.out.RowsRead, percent(lost)),
			"--missing pairwise or --missing mean keeps the rows; or "+flags("--drop", names))
	case worst > missingShare:
		e.add(Missing, Warning, names, what+"; what is known of these columns rests on the others, or on what was put in their place", "--missing drop keeps whole rows only; or "+flags("--drop", many))
	default:
		e.add(Missing, Note, names, what, "nothing needs to be done")
	}
}

func has(n int) string {
	if n == 1 {
		return "has"
	}
	return "have"
}

// text looks at the columns of words: those left out, and those made into numbers.
func (e *examination) text() {
	var out, why, in, onehot []string
	made := 0
	for _, c := range e.out.Columns {
		switch {
		case c.From != "":
			if made++; len(onehot) == 0 || onehot[len(onehot)-1] != c.From {
				onehot = append(onehot, c.From)
			}
		case c.Kind != "text" || c.Missing >= e.out.RowsRead:
		case c.Dropped == "":
			made++
			in = append(in, c.Name)
		default:
			out, why = append(out, c.Name), append(why, fmt.Sprintf("%s (%s)", c.Name, c.Dropped))
		}
	}
	switch {
	case len(out) > 0 && e.refuse.Text && e.m.Dim() < 2: // without them nothing is left
		e.add(Text, Error, out, fmt.Sprintf("%s %s no column of numbers; learn stops at text unless told what to do", list(why, 6), is(len(out))),
			"--encode onehot or --encode ordinal")
	case len(out) > 0 && e.refuse.Text:
		e.add(Text, Error, out, fmt.Sprintf("%s %s no column of numbers; learn stops at text unless told what to do", list(why, 6), is(len(out))),
			flags("--drop", out)+"; or for all text columns --encode onehot, --encode ordinal or --encode drop")
	case len(out) > 0:
		e.add(Text, Note, out, fmt.Sprintf("%s %s left out", list(why, 6), is(len(out))), "--encode onehot or --encode ordinal to learn from text")
	}
	if len(onehot) > 0 {
		e.add(Text, Warning, onehot, fmt.Sprintf("%s %s text, made into %s of 0 and 1; of one text only one column can be 1, so edges between its columns are arithmetic", list(onehot, 6), is(len(onehot)), plural(made, "column")),
			"read such edges as that, or forbid them: --forbid 'NAME=*->NAME=*'; --encode drop leaves text out")
	}
	if len(in) > 0 && e.refuse.Levels {
		e.add(Text, Note, in, fmt.Sprintf("%s %s text, taken as levels: one variable each", list(in, 6), is(len(in))), "nothing needs to be done")
		return
	}
	if len(in) > 0 {
		e.add(Text, Note, in, fmt.Sprintf("%s %s text, made into the places of its sorted words", list(in, 6), is(len(in))),
			"where the words have no order, --encode onehot or --encode drop")
	}
}
