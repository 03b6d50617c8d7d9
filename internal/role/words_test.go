package role

import (
	"slices"
	"strings"
	"testing"
)

func TestSplit(t *testing.T) {
	for name, want := range map[string]string{
		"wife_age":     "wife age",
		"wife-age":     "wife age",
		"alk.phos":     "alk pho",
		"nativeBorn":   "native born",
		"BPSystolic":   "bp systolic",
		"YearBuilt":    "year built",
		"re74":         "re 74",
		"BMI":          "bmi",
		"X1stFlrSF":    "x 1 st flr sf",
		"prices":       "price",
		"categories":   "category",
		"days":         "days",
		"status":       "status",
		"class":        "class",
		"état_civil":   "état civil",
		"患者年龄":         "患者年龄",
		"race/ethnic":  "race ethnic",
		"":             "",
		"_-.":          "",
		"age (years)":  "age years",
		"TVSpending":   "tv spending",
		"income2020_q": "income 2020 q",
	} {
		if got := strings.Join(split(name), " "); got != want {
			t.Errorf("%q became %q, want %q", name, got, want)
		}
	}
}

func TestApart(t *testing.T) {
	d := theDictionary()
	for word, want := range map[string]string{
		"wifeage":      "wife age",
		"fatheredu":    "father edu",
		"incomegroup":  "income group",
		"message":      "",
		"techsupport":  "",
		"studentsex":   "student sex",
		"customerages": "customer age",
	} {
		if got := strings.Join(d.apart(word), " "); got != want {
			t.Errorf("%s became %q, want %q", word, got, want)
		}
	}
}

func TestMoment(t *testing.T) {
	for name, want := range map[string]moment{
		"prewt":     {stem: "wt", order: early, given: true},
		"postwt":    {stem: "wt", order: late, given: true},
		"re78":      {stem: "re", order: 78, given: true},
		"bp_1990":   {stem: "bp", order: 1990, given: true},
		"week8":     {stem: "week", order: 8, given: true},
		"pain_day3": {stem: "pain day", order: 3, given: true},
		"bdi.2m":    {stem: "bdi", order: 2, given: true},
		"bdi.pre":   {stem: "bdi", order: early, given: true},
		"Q12":       {},
		"item_3":    {},
		"x99":       {},
		"pressure":  {},
		"posture":   {},
		"premium":   {},
		"base":      {},
	} {
		if got := momentOf(split(name)); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// The list has one line per meaning, and every phrase is found as a name.
func TestMeanings(t *testing.T) {
	d := theDictionary()
	var names []string
	for _, m := range d.meanings {
		names = append(names, m.name)
	}
	if slices.Sort(names); len(slices.Compact(slices.Clone(names))) != len(names) {
		t.Errorf("a meaning has two lines: %v", names)
	}
	for phrase, at := range d.phrases {
		if got := d.match(phrase); got.meaning != at {
			t.Errorf("%s is not found by itself", phrase)
		}
	}
	for name := range rules {
		if !slices.Contains(names, name) {
			t.Errorf("a rule is for %s, which no line has", name)
		}
	}
	for _, text := range []string{"a: b", "[nothing]\na: b", "[given]\na b", "[given]\na: b,,c", "[given]\na: b\nc: b"} {
		if _, err := parse(text); err == nil {
			t.Errorf("%q was read without an error", text)
		}
	}
}
