package role

import "slices"

// tableOf is a table whose names are being read.
type tableOf struct {
	columns  []Column
	matches  []match
	readings Readings
	has      map[string][]int // columns by meaning
	by       map[string][]int // the first two columns by word

	plane           bool // a column has the name x, or begins with z
	people, medical int  // number of columns that only a table of people, or of patients, has
	ending          int  // number of columns that are an outcome by themselves
	event, spell    int  // a column with an event, and one with a time to it, or -1
}

// wordsIn returns the first column other than j that has one of the words in its name, or -1.
func (t *tableOf) wordsIn(j int, words map[string]bool) int {
	found := -1
	for w := range words {
		for _, k := range t.by[w] {
			if k != j && (found < 0 || k < found) {
				found = k
			}
		}
	}
	return found
}

// with returns the first column other than j with one of the meanings, or -1.
func (t *tableOf) with(j int, meanings ...string) int {
	for _, m := range meanings {
		for _, k := range t.has[m] {
			if k != j {
				return k
			}
		}
	}
	return -1
}

func (t *tableOf) count(meanings ...string) (n int) {
	for _, m := range meanings {
		n += len(t.has[m])
	}
	return n
}

// few reports whether column j may have at most n distinct values.
func (t *tableOf) few(j, n int) bool { return t.columns[j].Distinct <= n }

// manyNumbers reports whether column j is numeric with more values than codes have.
func (t *tableOf) manyNumbers(j int) bool {
	return len(t.columns[j].Categories) == 0 && t.columns[j].Distinct > 12
}

var (
	contestWords = setOf("distance dist climb runner swimmer lap")
	loanWords    = setOf("credit loan installment instalment balance account bank housing")
	marketWords  = setOf("amount demand quantity qty consumption pack purchase choice brand trip")
	driverWords  = setOf("advertising advert tv radio newspaper promo store holiday discount marketing")
	motherWords  = setOf("mother gestation pregnancy prenatal lwt ptl maternal motheduc")
	examWords    = setOf("teacher student exam test homework course")
	staffWords   = setOf("department evaluation promotion satisfaction overtime project")
	rankWords    = setOf("discipline department phd dept faculty")
)

// meaningsOfPeople are those that only a table of people has.
var meaningsOfPeople = []string{"ethnicity", "native", "family background", "ability", "education", "religion", "marital status", "children", "occupation", "experience", "working hours", "income", "wage", "insurance", "health"}

// meaningsOfPatients are those that only a table of patients has.
var meaningsOfPatients = []string{"blood and vital signs", "illness", "tumour", "tumour size", "death", "relapse", "habits", "treatment", "diabetes", "body"}

// settle decides what depends on the other columns. It looks at what the names say alone, so that the order of the columns does not
// matter.
func (t *tableOf) settle() {
	t.people = t.count(meaningsOfPeople...)
	for _, j := range t.has["sex"] {
		if c := t.columns[j].Name; c != "" && len(t.has["kind of being"]) == 0 {
			t.people++
		}
	}
	t.medical = t.count(meaningsOfPatients...)
	t.event, t.spell = -1, -1
	for j, r := range t.readings {
		if t.endsItself(r) {
			t.ending++
		}
		ends := r.Role == eventRole || r.Phrase == "arrest" && t.columns[j].Distinct == 2 || r.Meaning == "death" || r.Meaning == "relapse" || r.Meaning == "churn"
		account := r.Phrase == "status" && t.wordsIn(j, loanWords) >= 0
		if ends && t.few(j, 4) && t.event < 0 && !account {
			t.event = j
		}
		if r.Role == timeRole && t.spell < 0 {
			t.spell = j
		}
	}
	settled := slices.Clone(t.readings)
	for j := range t.readings {
		if rule := rules[t.readings[j].Meaning]; rule != nil {
			role, why := rule(t, j)
			settled[j].Role = role
			if why >= 0 {
				settled[j].Why = t.columns[why].Name
			}
		}
		if settled[j].Role > Outcome {
			settled[j].Role = Unknown
		}
	}
	t.readings = settled
	t.top()
}

// A rule returns the role of column j of a table, and the other column that decided or -1.
type rule func(t *tableOf, j int) (role Role, why int)

// ofPeople keeps a role in tables of people or patients only.
func ofPeople(role Role) rule {
	return func(t *tableOf, j int) (Role, int) {
		others := t.people + t.medical
		if m := t.readings[j].Meaning; slices.Contains(meaningsOfPeople, m) || slices.Contains(meaningsOfPatients, m) {
			others--
		}
		if others > 0 || t.with(j, "sex", "age") >= 0 && t.with(j, "kind of being") < 0 {
			return role, -1
		}
		return Unknown, -1
	}
}

// besides keeps a role if another column has one of the meanings.
func besides(role Role, meanings ...string) rule {
	return func(t *tableOf, j int) (Role, int) {
		if k := t.with(j, meanings...); k >= 0 {
			return role, k
		}
		return Unknown, -1
	}
}

// rules has the meanings whose role depends on the other columns.
var rules = map[string]rule{
	"time to event": func(t *tableOf, j int) (Role, int) {
		phrase := t.readings[j].Phrase
		if t.event >= 0 {
			return Outcome, t.event
		}
		if k := t.wordsIn(j, contestWords); k >= 0 && phrase == "time" {
			return Response, k
		}
		if k := t.with(j, "design", "dose", "planned input", "kind of being", "concentration"); k >= 0 && phrase == "time" && t.people == 0 {
			return Given, k // of a measurement
		}
		return Unknown, -1
	},
	"event": func(t *tableOf, j int) (Role, int) {
		if t.spell >= 0 && t.few(j, 6) && t.event >= 0 {
			return Outcome, t.spell
		}
		return Unknown, -1
	},
	"failure": func(t *tableOf, j int) (Role, int) {
		if t.spell >= 0 {
			return Outcome, t.spell
		}
		if t.people == 0 && t.few(j, 12) {
			return Outcome, -1
		}
		return Unknown, -1
	},
	"calendar": func(t *tableOf, j int) (Role, int) {
		if t.event >= 0 && t.spell < 0 && slices.Contains([]string{"week", "month", "day"}, t.readings[j].Phrase) && t.manyNumbers(j) {
			return Unknown, t.event // perhaps the time until the event
		}
		return Given, -1
	},
	"pollution": func(t *tableOf, j int) (Role, int) {
		switch t.readings[j].Phrase {
		case "o 3", "so 2", "no 2", "nox", "o3", "so2", "no2", "o": // also the third item on a scale
			if t.count("pollution") < 2 {
				return besides(Response, "weather", "calendar", "place")(t, j)
			}
		}
		return Response, -1
	},
	"planned input": func(t *tableOf, j int) (Role, int) {
		if t.manyNumbers(j) { // measured, not planned
			return besides(Given, "design", "random assignment")(t, j)
		}
		return Given, -1
	},
	"wanted quantity": func(t *tableOf, j int) (Role, int) {
		if p := t.readings[j].Phrase; p == "hwy" || p == "cty" { // also of highways and cities
			return besides(Response, "part of a vehicle", "year of a thing")(t, j)
		}
		return Response, -1
	},
	"target": func(t *tableOf, j int) (Role, int) {
		if t.readings[j].Phrase == "target" && (t.manyNumbers(j) || t.people+t.medical < 2 && t.with(j, "age", "sex") < 0) {
			return Unknown, -1 // a goal, or the class of a thing, which its properties follow from
		}
		return Outcome, -1
	},
	"longitude in short": besides(Given, "place"),
	"other ethnicity":    besides(Given, "ethnicity"),
	"crime": func(t *tableOf, j int) (Role, int) {
		if p := t.readings[j].Phrase; (p == "theft" || p == "assault") && t.count("crime") == 1 {
			return Unknown, -1 // a cause of costs, as likely as not
		}
		return Response, -1
	},
	"stature": func(t *tableOf, j int) (Role, int) {
		if c := t.columns[j]; c.Distinct == 2 { // ht is also hypertension
			return Unknown, -1
		}
		return ofPeople(Early)(t, j)
	},
	"weight": func(t *tableOf, j int) (Role, int) {
		if role, _ := ofPeople(State)(t, j); role != Unknown {
			return role, -1
		}
		return besides(Response, "planned input", "dose", "group", "treatment")(t, j) // the growth of plants and animals
	},
	"blood and vital signs": ofPeople(State),
	"illness":               ofPeople(State),
	"health":                ofPeople(State),
	"habits":                ofPeople(Life),
	"diabetes": func(t *tableOf, j int) (Role, int) {
		if t.ends(j) || t.with(j, "disease to explain", "diabetes") >= 0 {
			return ofPeople(State)(t, j)
		}
		return ofPeople(Response)(t, j)
	},
	"disease to explain": func(t *tableOf, j int) (Role, int) {
		if t.earlier(j) || t.ends(j) || slices.ContainsFunc(t.has["disease to explain"], func(k int) bool { return k != j && !t.earlier(k) }) {
			return ofPeople(State)(t, j)
		}
		return ofPeople(Response)(t, j)
	},
	"labour force participation": besides(Response, "sex", "age", "children", "marital status"),
	"hour or heart rate": func(t *tableOf, j int) (Role, int) {
		if t.people+t.medical > 0 {
			return Unknown, -1
		}
		return besides(Given, "calendar")(t, j)
	},
	"tumour": func(t *tableOf, j int) (Role, int) {
		if t.count("tumour", "tumour size") > 1 {
			return State, -1
		}
		return ofPeople(State)(t, j)
	},
	"tumour size": besides(State, "tumour"),
	"treatment": func(t *tableOf, j int) (Role, int) {
		switch {
		case t.manyNumbers(j):
			return Unknown, -1
		case t.people == 0 && t.medical == t.count("treatment") && t.event < 0 && t.with(j, "age", "sex") < 0:
			return Given, -1 // of plants and things: an experiment
		}
		return Treatment, -1
	},
	"weather": func(t *tableOf, j int) (Role, int) {
		if t.people > 0 || t.medical > 1 {
			return Unknown, -1
		}
		return State, -1
	},
	"price": func(t *tableOf, j int) (Role, int) {
		if k := t.wordsIn(j, marketWords); k >= 0 || t.with(j, "business result") >= 0 {
			return Unknown, -1
		}
		return Response, -1
	},
	"quality": func(t *tableOf, j int) (Role, int) { // of a product, not of people
		if t.people > 0 || t.medical > t.count("habits") || t.with(j, "price", "business result") >= 0 || t.ends(j) {
			return Unknown, -1
		}
		return Response, -1
	},
	"business result": func(t *tableOf, j int) (Role, int) {
		if k := t.wordsIn(j, driverWords); k >= 0 && t.people == 0 {
			return Response, k
		}
		return Unknown, -1
	},
	"absence": func(t *tableOf, j int) (Role, int) {
		if k := t.with(j, "school result", "final grade"); k >= 0 {
			return State, k
		}
		return Response, -1
	},
	"school result": func(t *tableOf, j int) (Role, int) {
		if t.with(j, "income", "wage") >= 0 {
			return Unknown, -1
		}
		return Response, -1
	},
	"scores by subject": func(t *tableOf, j int) (Role, int) {
		if k := t.with(j, "scores by subject"); k >= 0 && t.manyNumbers(j) && t.with(j, "income", "wage") < 0 {
			return Response, k
		}
		return Unknown, -1
	},
	"birth weight": func(t *tableOf, j int) (Role, int) {
		if k := t.with(j, "habits", "family background", "children"); k >= 0 {
			return Response, k
		}
		if k := t.wordsIn(j, motherWords); k >= 0 {
			return Response, k
		}
		if t.readings[j].Phrase != "bwt" && t.people > 1 {
			return Given, -1
		}
		return Unknown, -1
	},
	"low": func(t *tableOf, j int) (Role, int) {
		if k := t.wordsIn(j, motherWords); k >= 0 {
			return Response, k
		}
		return Unknown, -1
	},
	"state": func(t *tableOf, j int) (Role, int) {
		if len(t.columns[j].Categories) > 6 {
			return Given, -1
		}
		return Unknown, -1
	},
	"group": func(t *tableOf, j int) (Role, int) {
		if t.people+t.medical == 0 && len(t.columns) <= 4 && t.few(j, 12) {
			return Given, -1
		}
		return Unknown, -1
	},
	"concentration": func(t *tableOf, j int) (Role, int) {
		if k := t.with(j, "dose", "time to event"); k >= 0 {
			return Response, k
		}
		if len(t.columns) <= 6 {
			return Given, -1
		}
		return Unknown, -1
	},
	"nutrient": func(t *tableOf, j int) (Role, int) {
		if t.count("nutrient") > 1 && t.few(j, 6) {
			return besides(Given, "wanted quantity", "design")(t, j)
		}
		return Unknown, -1
	},
	"answer": func(t *tableOf, j int) (Role, int) {
		if t.plane {
			return Unknown, -1 // coordinates, or any pair
		}
		if t.ends(j) {
			return Unknown, -1
		}
		return Response, -1
	},
	"count": besides(Response, "calendar", "weather"),
	"case": func(t *tableOf, j int) (Role, int) {
		if t.columns[j].Distinct == 2 && t.people+t.medical > 0 {
			return Response, -1
		}
		return Unknown, -1
	},
	"school years": func(t *tableOf, j int) (Role, int) {
		if len(t.columns[j].Categories) == 0 {
			return besides(Early, "wage", "experience", "income")(t, j)
		}
		return Unknown, -1
	},
	"experience in wage tables": besides(Life, "wage"),
	"left": func(t *tableOf, j int) (Role, int) {
		if k := t.wordsIn(j, staffWords); k >= 0 {
			return Outcome, k
		}
		return Unknown, -1
	},
	"academic rank": func(t *tableOf, j int) (Role, int) {
		if k := t.wordsIn(j, rankWords); k >= 0 {
			return Life, k
		}
		return Unknown, -1
	},
	"default": func(t *tableOf, j int) (Role, int) {
		if k := t.with(j, "answer", "churn", "target"); k >= 0 { // the default is an earlier one
			return Unknown, k
		}
		return Outcome, -1
	},
}

// earlier reports whether a name says that an illness is an earlier one.
func (t *tableOf) earlier(j int) bool {
	return slices.ContainsFunc(t.matches[j].words, func(w string) bool {
		return earlyWords[w] || w == "prevalent" || w == "history" || w == "family" || w == "past"
	})
}

// ends reports whether a column other than j is an outcome by itself.
func (t *tableOf) ends(j int) bool {
	if t.event >= 0 && t.spell >= 0 {
		return true
	}
	if t.endsItself(t.readings[j]) {
		return t.ending > 1
	}
	return t.ending > 0
}

// endsItself reports whether a reading is that of an outcome, and not of an earlier default beside one.
func (t *tableOf) endsItself(r Reading) bool {
	return r.Role == Outcome && (r.Meaning != "default" || t.count("answer", "churn", "target") == 0)
}

func (t *tableOf) countRole(role Role) (n int) {
	for _, r := range t.readings {
		if r.Role == role {
			n++
		}
	}
	return n
}

// top makes wages the response of a table of people that has none.
func (t *tableOf) top() {
	if t.people < 3 || t.countRole(Response)+t.countRole(Outcome) > 0 {
		return
	}
	for _, j := range t.has["wage"] {
		t.readings[j].Role, t.readings[j].Unsure = Response, true
	}
}
