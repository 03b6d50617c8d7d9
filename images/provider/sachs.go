package provider

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/polydag/polydag/dataset"
)

const sachsWant = "the measurements of Sachs et al. 2005 (a column a protein, a row a cell)"

// sachsNames are the eleven molecules in the order of the spreadsheets.
var sachsNames = []string{"Raf", "Mek", "Plcg", "PIP2", "PIP3", "Erk", "Akt", "PKA", "PKC", "P38", "Jnk"}

// sachsAliases are other spellings, including those of the spreadsheets, in lower case with letters and digits
// only.
var sachsAliases = map[string]string{
	"praf": "Raf", "pmek": "Mek", "plcgamma": "Plcg", "plc": "Plcg", "p4442": "Erk", "perk": "Erk", "pakts473": "Akt", "pakt": "Akt",
	"pjnk": "Jnk",
}

// A condition is one of the 14 experiments: its label and the number of measured cells.
type condition struct {
	label string
	cells int
}

// sachsTable lists the conditions from number 1: the general stimulations, then the interventions.
var sachsTable = []condition{
	{"cd3cd28", 853}, {"cd3cd28+icam2", 902}, {"cd3cd28+aktinhib", 911}, {"cd3cd28+g0076", 723},
	{"cd3cd28+psitect", 810}, {"cd3cd28+u0126", 799}, {"cd3cd28+ly", 848}, {"pma", 913}, {"b2camp", 707},
	{"cd3cd28+icam2+aktinhib", 899}, {"cd3cd28+icam2+g0076", 753}, {"cd3cd28+icam2+psit", 868},
	{"cd3cd28+icam2+u0126", 759}, {"cd3cd28+icam2+ly", 927},
}

// mainConditions is the number of conditions, from the first, in the paper's main analysis: 7,466 cells.
const mainConditions = 9

// sachsMeans are the means of condition 1.
var sachsMeans = []known{{"Raf", 59.3145}, {"Mek", 30.0293}, {"Erk", 22.1835}, {"Akt", 41.9817}}

// sachsConditions returns the numbers, from 1, of the conditions of a choice.
func sachsConditions(choice string) ([]int, error) {
	upTo := 0
	switch choice {
	case "main":
		upTo = mainConditions
	case "all":
		upTo = len(sachsTable)
	}
	var ids []int
	for k, c := range sachsTable {
		if k < upTo || choice == strconv.Itoa(k+1) || choice == c.label {
			ids = append(ids, k+1)
		}
	}
	if ids == nil {
		var labels []string
		for k, c := range sachsTable {
			labels = append(labels, fmt.Sprintf("%d (%s)", k+1, c.label))
		}
		return nil, fmt.Errorf("%w: Condition = %q, want main, all, or one of %s", ErrSettings, choice, strings.Join(labels, ", "))
	}
	return ids, nil
}

// Sachs reads flow cytometry data of Sachs et al. 2005 from text separated by commas, semicolons, tabs or
// spaces. The file has one condition (the observational one has 853 rows), or many with a column named
// condition. The column names of the spreadsheets, praf to pjnk, become Raf to Jnk. Values are unchanged; no
// logarithm is taken.
func Sachs(r io.Reader, opt Settings) (*dataset.NamedRows, []string, error) {
	if err := opt.Validate(); err != nil {
		return nil, nil, err
	}
	f := &findings{file: named(opt.File), want: sachsWant, force: opt.Force}
	g, err := readGrid(r, f.file, sachsWant, func(name string) bool {
		_, ok := sachsName(name)
		return !ok
	})
	if err != nil {
		return nil, nil, err
	}
	if err := g.sachsRename(f); err != nil {
		return nil, nil, err
	}
	rows, err := g.sachsRows(opt, f)
	if err != nil {
		return nil, nil, err
	}
	g.sachsCheck(rows, opt, f)
	if err := f.settle(); err != nil {
		return nil, nil, err
	}
	measured := slices.DeleteFunc(slices.Clone(sachsNames), func(name string) bool { return !slices.Contains(g.names, name) })
	names := measured
	if opt.Attributes != nil {
		names = nil
		for _, asked := range opt.Attributes {
			if name, ok := sachsName(asked); ok {
				asked = name
			}
			names = append(names, asked)
		}
	}
	if _, err := choose(measured, names); err != nil {
		return nil, nil, err
	}
	columns, _ := choose(g.names, names)
	if rows = rows[:min(len(rows), opt.Rows)]; len(rows) < 2 {
		return nil, nil, fmt.Errorf("%s: %d rows are left; a graph needs at least 2", f.file, len(rows))
	}
	f.notef("values are raw fluorescence, heavily skewed; many papers take logs first")
	return g.table(rows, columns), f.notes, nil
}

// sachsName returns the standard name of a column in any spelling.
func sachsName(column string) (string, bool) {
	plain := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(column))
	if name, ok := sachsAliases[plain]; ok {
		return name, true
	}
	k := slices.IndexFunc(sachsNames, func(name string) bool { return strings.ToLower(name) == plain })
	if k < 0 {
		return "", false
	}
	return sachsNames[k], true
}

// sachsRename renames the columns to the standard names.
func (g *grid) sachsRename(f *findings) error {
	var renamed, lacks, extra []string
	found := make(map[string]string)
	for j, column := range g.names {
		name, ok := sachsName(column)
		if !ok {
			if column != "condition" && column != "label" {
				extra = append(extra, strconv.Quote(column))
			}
			continue
		}
		if before, ok := found[name]; ok {
			return fmt.Errorf("%s: line 1 has both %q and %q for %s; expected %s", f.file, before, column, name, sachsWant)
		}
		found[name] = column
		if name != column {
			renamed = append(renamed, column+" → "+name)
			g.names[j] = name
		}
	}
	if len(found) == 0 {
		return fmt.Errorf("%s: line 1 names none of the eleven molecules (%s); expected %s", f.file, strings.Join(sachsNames, ", "), sachsWant)
	}
	for _, name := range sachsNames {
		if _, ok := found[name]; !ok {
			lacks = append(lacks, name)
		}
	}
	if len(lacks) > 0 {
		f.faultf("it lacks the columns %s", strings.Join(lacks, ", "))
	}
	if len(renamed) > 0 {
		f.notef("columns renamed: %s", strings.Join(renamed, ", "))
	}
	if len(extra) > 0 {
		f.notef("columns left out, not measurements: %s", strings.Join(extra, ", "))
	}
	return nil
}

// sachsRows returns the rows of the requested conditions and checks their number.
func (g *grid) sachsRows(opt Settings, f *findings) ([]int, error) {
	ids, err := sachsConditions(opt.Condition)
	if err != nil {
		return nil, err
	}
	expected, total := 0, 0
	for k, c := range sachsTable {
		total += c.cells
		if slices.Contains(ids, k+1) {
			expected += c.cells
		}
	}
	if _, many := g.text["condition"]; !many {
		if before := g.rows; before != expected {
			for k, c := range sachsTable {
				if c.cells == before {
					f.faultf("%s rows is condition %d (%s): ask for that condition", count(before), k+1, c.label)
				}
			}
			if before == 7466 {
				f.faultf("7,466 rows is conditions 1 to 9 pooled, interventions among them: ask for the condition main")
			}
		}
		g.settle(expected, f)
		rows := make([]int, g.rows)
		for i := range rows {
			rows[i] = i
		}
		return rows, nil
	}
	g.settle(total, f)
	var rows []int
	for i, id := range g.text["condition"] {
		if k, err := strconv.Atoi(id); err == nil && slices.Contains(ids, k) {
			rows = append(rows, i)
		} else if err != nil {
			return nil, fmt.Errorf("%s: row %d: the condition %q is not a number from 1 to %d", f.file, i+1, shown([]byte(id)), len(sachsTable))
		}
	}
	if len(rows) != expected {
		f.faultf("condition %s has %s rows, expected %s", opt.Condition, count(len(rows)), count(expected))
	} else {
		f.notef("condition %s: %s of %s rows", opt.Condition, count(len(rows)), count(g.rows))
	}
	return rows, nil
}

// sachsCheck compares the values with the known ones.
func (g *grid) sachsCheck(rows []int, opt Settings, f *findings) {
	least := math.Inf(1)
	missing := 0
	for j, name := range g.names {
		if !slices.Contains(sachsNames, name) {
			continue
		}
		for _, i := range rows {
			if v := g.at(i, j); math.IsNaN(v) {
				missing++
			} else {
				least = min(least, v)
			}
		}
	}
	if missing > 0 {
		f.faultf("%s values are missing, expected none", count(missing))
	}
	if least < 1 {
		f.faultf("its least value is %.4g, expected at least 1: the published values are raw, not logged or standardized", least)
	}
	if ids, _ := sachsConditions(opt.Condition); len(ids) == 1 && ids[0] == 1 && len(rows) == sachsTable[0].cells && missing == 0 && least >= 1 {
		f.means("the mean", sachsMeans, 0.001, func(column string) (float64, bool) {
			j := slices.Index(g.names, column)
			if j < 0 {
				return 0, false
			}
			return g.mean(j, rows), true
		})
	}
}
