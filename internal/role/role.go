// Package role reads what the name of a column says about its place in time: age and sex come first, death and default last.
package role

import (
	"slices"
	"strings"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/names"
)

// A Role is the place of a column in time, as far as its name tells.
type Role int

// Roles from early to late. Unknown is the zero value: the name says nothing.
const (
	Unknown   Role = iota
	Given          // nothing in the table causes it: sex, age, region, month, dose
	Early          // settled in youth: education, stature
	Life           // marriage, children, occupation, habits
	State          // of body and purse when the table was made: income, weight, blood pressure
	Treatment      // chosen after the state, before the outcome
	Response       // what studies explain: price, yield, visits to a doctor
	Outcome        // the end: death, relapse, default, and the time until then
	timeRole       // a time to an event if the table has one
	eventRole      // an event if the table has a time
	noRole         // listed because part of the name means something else
)

var roleNames = []string{"", "given", "early", "life", "state", "treatment", "response", "outcome", "time", "event", "none"}

func roleOf(name string) (Role, bool) {
	at := slices.Index(roleNames, name)
	return Role(at), at > 0
}

// String returns the name of the role, "unknown" for Unknown.
func (r Role) String() string {
	if r == Unknown {
		return "unknown"
	}
	return roleNames[r]
}

// A Column is what is known of a column before learning.
type Column struct {
	Name, Label string   // the label is read if the name says nothing
	Categories  []string // the words in its cells, if they are words
	Distinct    int      // number of distinct values, 0 if unknown
}

// A Reading is what the name of a column says.
type Reading struct {
	Role    Role
	Meaning string // the line of the list of meanings, such as age; empty if none fits
	Phrase  string // the words of the name that it was found by
	Why     string // the other column that decided, such as "time" for status; empty if the name alone did
	Unsure  bool   // the meaning often has another place in time
	moment  moment
	first   bool // measured at the start: baseline_bp
	lag     int  // of sales(t-1)
}

// Readings are those of all columns of a table.
type Readings []Reading

// Read reads the names of all columns of a table. The meaning of a name depends on the others: time is a date or the time to an
// event.
func Read(columns []Column) Readings { return read(columns).readings }

// Censored returns the columns that by their names are a time to an event and the event, which has two values.
func Censored(columns []Column) (time, event int, ok bool) {
	t := read(columns)
	return t.spell, t.event, t.spell >= 0 && t.event >= 0 && t.spell != t.event && columns[t.event].Distinct == 2
}

func read(columns []Column) *tableOf {
	d := theDictionary()
	t := &tableOf{columns: columns, matches: make([]match, len(columns)), readings: make(Readings, len(columns)), has: map[string][]int{}}
	for j, c := range columns {
		name, lag, _ := names.CutLag(c.Name)
		name, _, _ = strings.Cut(name, "=") // sex=male is a column of a category
		m := d.match(name)
		if m.meaning < 0 && c.Label != "" {
			words := m.words
			m = d.match(c.Label)
			m.words = words
		}
		t.matches[j] = m
		r := &t.readings[j]
		r.lag, r.first = lag, slices.ContainsFunc(m.words, func(w string) bool { return earlyWords[w] })
		r.moment = momentOf(m.words)
		if m.meaning >= 0 {
			found := d.meanings[m.meaning]
			r.Role, r.Meaning, r.Phrase, r.Unsure = found.role, found.name, m.phrase, found.unsure
		}
		t.byCells(j)
		t.byOtherWords(j)
	}
	t.oneHot()
	t.by = map[string][]int{}
	for j, r := range t.readings {
		words := t.matches[j].words
		t.plane = t.plane || len(words) > 0 && (words[0] == "z" || words[0] == "x" && len(words) == 1)
		for k, w := range words {
			if len(t.by[w]) < 2 && !slices.Contains(words[:k], w) {
				t.by[w] = append(t.by[w], j)
			}
		}
		if r.Meaning != "" {
			t.has[r.Meaning] = append(t.has[r.Meaning], j)
		}
	}
	t.settle()
	t.compareMoments()
	return t
}

// Any reports whether the names say anything about the order of the columns.
func (r Readings) Any() bool {
	return slices.ContainsFunc(r, func(own Reading) bool { return own.Role != Unknown && own.Role < timeRole || own.moment.given })
}

// Columns returns what is known of the columns of a table. variables is nil if only their names are known.
func Columns(list []string, variables []dataset.Variable) []Column {
	columns := make([]Column, len(list))
	for j, name := range list {
		columns[j].Name = name
		if variables != nil {
			columns[j].Categories, columns[j].Distinct = variables[j].Words, variables[j].Levels
		}
	}
	return columns
}
