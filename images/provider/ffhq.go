package provider

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/polydag/polydag/dataset"
)

const (
	ffhqWant     = "the table of FFHQ features (a column a score, a row a face)"
	ffhqFaces    = 69_401 // among 70,000 images, the detector finds no face in 529 and two in 70
	ffhqComplete = 62_606 // with hair colors
)

// ffhqNames are the names of the scores, in the order of the table.
var ffhqNames = []string{
	"smile", "pitch", "roll", "yaw", "male", "age", "moustache", "beard", "sideburns",
	"anger", "contempt", "disgust", "fear", "happiness", "neutral", "sadness", "surprise",
	"blur", "exposure", "noise", "eye_makeup", "lip_makeup", "glasses", "sunglasses", "headwear", "mask",
	"forehead_occluded", "eye_occluded", "mouth_occluded", "bald", "hair_invisible",
	"hair_brown", "hair_blond", "hair_black", "hair_red", "hair_gray", "hair_other",
}

var (
	ffhqEmotions = []string{"anger", "contempt", "disgust", "fear", "happiness", "neutral", "sadness", "surprise"}
	ffhqColours  = []string{"hair_brown", "hair_blond", "hair_black", "hair_red", "hair_gray", "hair_other"}
	ffhqMeans    = []known{{"male", 0.4473}, {"age", 29.5325}, {"happiness", 0.6167}, {"neutral", 0.3370},
		{"glasses", 0.1935}, {"sunglasses", 0.0411}, {"headwear", 0.0702}}
)

// A tie is an exact linear relation among columns, which disappears without column drop.
type tie struct {
	drop    string
	columns []string
	why     string
}

var ffhqTies = []tie{
	{"smile", []string{"smile", "happiness"}, "smile equals happiness"},
	{"neutral", ffhqEmotions, "the eight emotions sum to 1"},
	{"hair_invisible", []string{"headwear", "hair_invisible"}, "headwear equals hair_invisible"},
}

// emotionTolerance is slightly more than the largest error of the sum of eight scores rounded to three digits.
const emotionTolerance = 0.0045

// FFHQ reads the table of FFHQ features: a CSV of 69,401 faces with the header image, smile, pitch, … and 37
// scores of a face API. FFHQFolder reads the same from the provider's JSON files.
//
// Three scores are functions of others, which makes the covariance singular. So smile, neutral and
// hair_invisible are dropped unless Attributes names them. Settings.Missing selects the treatment of faces
// without hair colors.
func FFHQ(r io.Reader, opt Settings) (*dataset.NamedRows, []string, error) {
	if err := opt.Validate(); err != nil {
		return nil, nil, err
	}
	f := &findings{file: named(opt.File), want: ffhqWant, force: opt.Force}
	g, err := readGrid(r, f.file, ffhqWant, func(name string) bool { return !slices.Contains(ffhqNames, name) })
	if err != nil {
		return nil, nil, err
	}
	return ffhqTable(g, opt, f)
}

// ffhqTable checks the whole table and selects the requested rows and columns.
func ffhqTable(g *grid, opt Settings, f *findings) (*dataset.NamedRows, []string, error) {
	if err := ffhqCheck(g, f); err != nil {
		return nil, nil, err
	}
	if err := f.settle(); err != nil {
		return nil, nil, err
	}
	names, err := ffhqColumns(opt, f)
	if err != nil {
		return nil, nil, err
	}
	scores := slices.DeleteFunc(slices.Clone(g.names), func(name string) bool { return !slices.Contains(ffhqNames, name) })
	if _, err := choose(scores, names); err != nil {
		return nil, nil, err
	}
	columns, _ := choose(g.names, names)
	rows := g.whole(columns, opt.Rows, f)
	if len(rows) < 2 {
		return nil, nil, fmt.Errorf("%s: %d rows are left; a graph needs at least 2", f.file, len(rows))
	}
	columns = g.varying(rows, columns, opt.Attributes != nil, f)
	return g.table(rows, columns), f.notes, nil
}

// ffhqCheck compares the table with its known properties.
func ffhqCheck(g *grid, f *findings) error {
	var lacks []string
	at := make(map[string]int)
	for _, name := range ffhqNames {
		if at[name] = slices.Index(g.names, name); at[name] < 0 {
			lacks = append(lacks, name)
		}
	}
	if len(lacks) == len(ffhqNames) {
		return fmt.Errorf("%s: line 1 has none of the scores %s …; expected %s", f.file, strings.Join(ffhqNames[:4], ", "), ffhqWant)
	}
	if len(lacks) > 0 {
		f.faultf("it lacks the columns %s", strings.Join(lacks, ", "))
	}
	g.settle(ffhqFaces, f)
	if len(lacks) > 0 || g.rows != ffhqFaces {
		return nil
	}
	all := make([]int, g.rows)
	complete := 0
	var smile, sum, hair, empty int
	for i := range all {
		all[i] = i
		if g.at(i, at["smile"]) != g.at(i, at["happiness"]) {
			smile++
		}
		emotions := 0.0
		for _, name := range ffhqEmotions {
			emotions += g.at(i, at[name])
		}
		if !(math.Abs(emotions-1) <= emotionTolerance) {
			sum++
		}
		if g.at(i, at["headwear"]) != g.at(i, at["hair_invisible"]) {
			hair++
		}
		whole := true
		for _, name := range ffhqNames {
			if missing := math.IsNaN(g.at(i, at[name])); missing && slices.Contains(ffhqColours, name) {
				whole = false
			} else if missing {
				empty++
			}
		}
		if whole {
			complete++
		}
	}
	if empty > 0 {
		f.faultf("%s values are missing outside of the hair colours, expected none", count(empty))
	}
	if complete != ffhqComplete {
		f.faultf("%s rows have hair colours, expected %s", count(complete), count(ffhqComplete))
	}
	for _, broken := range []struct {
		rows int
		what string
	}{{smile, "smile differs from happiness"}, {sum, "the eight emotions do not sum to 1"}, {hair, "headwear differs from hair_invisible"}} {
		if broken.rows > 0 {
			f.faultf("%s in %s rows, expected none", broken.what, count(broken.rows))
		}
	}
	f.means("the mean", ffhqMeans, 0.0005, func(column string) (float64, bool) { return g.mean(at[column], all), true })
	return nil
}

// ffhqColumns returns the columns to keep.
func ffhqColumns(opt Settings, f *findings) ([]string, error) {
	if opt.Attributes != nil {
		return opt.Attributes, ffhqAsked(opt, f)
	}
	names := slices.Clone(ffhqNames)
	for _, t := range ffhqTies {
		names = slices.DeleteFunc(names, func(name string) bool { return name == t.drop })
		f.notef("dropped %s: %s, so it adds nothing and the covariance could not be inverted", t.drop, t.why)
	}
	if opt.Missing == "columns" {
		names = slices.DeleteFunc(names, func(name string) bool { return slices.Contains(ffhqColours, name) })
		f.notef("dropped the six hair colours: faces without visible hair lack them, and every face is kept")
	}
	return names, nil
}

// ffhqAsked reports problems with columns that were requested by name.
func ffhqAsked(opt Settings, f *findings) error {
	has := make(map[string]bool)
	for _, name := range opt.Attributes {
		if opt.Missing == "columns" && slices.Contains(ffhqColours, name) {
			return fmt.Errorf("%w: Missing = columns drops the hair colours, and Attributes names %s", ErrSettings, name)
		}
		has[name] = true
	}
	for _, t := range ffhqTies {
		all := true
		for _, name := range t.columns {
			all = all && (has[name] || name == "happiness" && has["smile"])
		}
		if t.drop == "smile" {
			all = has["smile"] && has["happiness"]
		}
		if all {
			f.notef("warning: %s, and all of these columns were asked for: their covariance cannot be inverted", t.why)
		}
	}
	return nil
}

// whole returns the rows without missing values in the columns, up to the requested number.
func (g *grid) whole(columns []int, most int, f *findings) []int {
	var rows []int
	missing := 0
	for i := range g.rows {
		if slices.ContainsFunc(columns, func(j int) bool { return math.IsNaN(g.at(i, j)) }) {
			missing++
		} else if len(rows) < most {
			rows = append(rows, i)
		}
	}
	if missing > 0 {
		f.notef("dropped %s of %s rows that lack a value (no visible hair, no hair colour); what is left is a selection by visible hair; Missing = columns keeps every row and drops the hair colours instead",
			count(missing), count(g.rows))
	}
	return rows
}

// varying drops the columns that are constant over the rows or, if they were requested, warns about them.
func (g *grid) varying(rows, columns []int, asked bool, f *findings) []int {
	var keep []int
	for _, j := range columns {
		first := g.at(rows[0], j)
		constant := !slices.ContainsFunc(rows, func(i int) bool { return g.at(i, j) != first })
		switch {
		case constant && asked:
			f.notef("warning: %s is %v in every row that is left", g.names[j], first)
		case constant:
			f.notef("dropped %s: it is %v in every row that is left", g.names[j], first)
			continue
		}
		keep = append(keep, j)
	}
	return keep
}
