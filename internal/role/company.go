package role

import (
	"slices"
	"strings"
)

// tableOf is a table whose names are being read.
type tableOf struct {
	columns  []Column
	matches  []match
	readings Readings
	has      map[string][]int // columns by meaning
}

// categoryWords are the words in cells that tell the meaning of a column, most of them in all cells.
var categoryWords = []struct {
	meaning string
	role    Role
	words   map[string]bool
}{
	{"sex", Given, setOf("male female m f man woman men women boy girl männlich weiblich homme femme masculin féminin hombre mujer masculino feminino 男 女 男性 女性")},
	{"death", Outcome, setOf("dead alive died deceased survived")},
	{"marital status", Life, setOf("married single divorced widowed unmarried separated ledig verheiratet geschieden verwitwet célibataire marié divorcé soltero casado divorciado solteiro viúvo")},
	{"calendar", Given, setOf("spring summer autumn fall winter mon tue wed thu fri sat sun monday tuesday wednesday thursday friday saturday sunday jan feb mar apr may jun jul aug sep sept oct nov dec january february march april june july august september october november december")},
	{"residence", Given, setOf("urban rural")},
	{"random assignment", Given, setOf("placebo")},
}

// byCategories reads the words in the cells of column j, where the name says nothing.
func (t *tableOf) byCategories(j int) {
	r, words := &t.readings[j], t.columns[j].Categories
	if r.Role != Unknown && r.Role != eventRole && r.Role != noRole && r.Role != Treatment || len(words) < 2 {
		return
	}
	for _, c := range categoryWords {
		known := 0
		for _, w := range words {
			if c.words[strings.ToLower(strings.TrimSpace(w))] {
				known++
			}
		}
		if known >= 2 && 3*known >= 2*len(words) || c.meaning == "random assignment" && known > 0 {
			r.Role, r.Meaning, r.Phrase = c.role, c.meaning, strings.ToLower(words[0])
			return
		}
	}
}

// byQualifiers lowers a reading whose other words change the meaning: pct_female is a property of a place.
func (t *tableOf) byQualifiers(j int) {
	r, m, c := &t.readings[j], t.matches[j], t.columns[j]
	person := slices.Contains([]string{"sex", "ethnicity", "native", "age"}, r.Meaning)
	for _, w := range m.words {
		switch {
		case r.Meaning == "":
			return
		case person && shares[w] && !strings.Contains(m.phrase, w):
			*r = Reading{Role: noRole, Meaning: "part of a population", Phrase: m.phrase}
		case parents[w] && slices.Contains([]string{"education", "occupation", "income"}, r.Meaning):
			r.Role, r.Meaning = Given, "family background"
		}
	}
	if (r.Meaning == "sex" || r.Meaning == "ethnicity") && len(c.Categories) == 0 && c.Distinct > 12 {
		*r = Reading{Role: noRole, Meaning: "part of a population", Phrase: m.phrase}
	}
}

// oneHot gives columns such as region_south and region_west the role of their common first word.
func (t *tableOf) oneHot() {
	d := theDictionary()
	first := map[string]int{}
	for j, m := range t.matches {
		if len(m.words) > 1 && t.columns[j].Distinct <= 2 {
			first[m.words[0]]++
		}
	}
	for j, m := range t.matches {
		if t.readings[j].Role != Unknown || len(m.words) < 2 || first[m.words[0]] < 2 || t.columns[j].Distinct > 2 {
			continue
		}
		if at, ok := d.phrases[m.words[0]]; ok && d.meanings[at].role == Given {
			t.readings[j].Role, t.readings[j].Meaning, t.readings[j].Phrase = Given, d.meanings[at].name, m.words[0]
			t.has[d.meanings[at].name] = append(t.has[d.meanings[at].name], j)
		}
	}
}

// count returns the number of columns with one of the meanings.
func (t *tableOf) count(meanings ...string) (n int) {
	for _, m := range meanings {
		n += len(t.has[m])
	}
	return n
}

// named returns a column that has one of the words in its name, or -1.
func (t *tableOf) named(words string) int {
	set := setOf(words)
	for j, m := range t.matches {
		for _, w := range m.words {
			if set[w] {
				return j
			}
		}
	}
	return -1
}

// settle decides what depends on the other columns.
func (t *tableOf) settle() {
	people := t.count("sex", "ethnicity", "native", "family background", "education", "religion", "marital status", "children", "occupation", "habits", "income", "insurance", "working hours")
	medical := t.count("blood and vital signs", "illness", "tumour", "death", "relapse", "habits", "body")
	set := func(j int, role Role, why int) {
		t.readings[j].Role = role
		if why >= 0 && why != j {
			t.readings[j].Why = t.columns[why].Name
		}
	}
	where := func(meanings ...string) int {
		for _, m := range meanings {
			if list := t.has[m]; len(list) > 0 {
				return list[0]
			}
		}
		return -1
	}
	// An event in the table makes times to events of times.
	event, spell := -1, -1
	for j, r := range t.readings {
		if r.Role == eventRole || (r.Meaning == "death" || r.Meaning == "relapse") && t.columns[j].Distinct <= 4 {
			event = j
		}
		if r.Role == timeRole {
			spell = j
		}
	}
	quantity := t.named("demand quantity qty sale consumption pack purchase choice brand buy bought unit store promotion advertising")
	school := t.named("school teacher student exam class test homework course semester")
	mother := where("children", "habits")
	if mother < 0 {
		mother = t.named("mother gestation pregnancy prenatal lwt maternal smoke")
	}
	last := false // an outcome at the end of the ladder
	for _, r := range t.readings {
		last = last || r.Role == Outcome
	}
	last = last || event >= 0 && spell >= 0
	for j := range t.readings {
		r, c, m := &t.readings[j], t.columns[j], t.matches[j]
		switch r.Meaning {
		case "time to event":
			switch contest := t.named("distance climb race runner swimmer lap"); {
			case event >= 0:
				set(j, Outcome, event)
			case contest >= 0 && r.Phrase == "time":
				set(j, Response, contest)
			case r.Phrase == "time" && people == 0:
				set(j, Given, -1)
			default:
				r.Role = Unknown
			}
		case "event":
			if spell >= 0 {
				set(j, Outcome, spell)
			} else {
				r.Role = Unknown
			}
		case "stature", "body", "blood and vital signs":
			if people+medical-t.count("body") == 0 {
				r.Role = Unknown
			}
		case "tumour":
			if people+medical-t.count("tumour") == 0 && t.count("tumour") < 2 {
				r.Role = Unknown
			}
		case "treatment":
			if len(c.Categories) == 0 && c.Distinct > 12 {
				r.Role = Unknown
			}
		case "price":
			if quantity >= 0 {
				r.Role = Unknown
			}
		case "business result":
			if t.named("advertising advert tv radio promotion promo store holiday discount temperature marketing budget") < 0 {
				r.Role = Unknown
			}
		case "school result":
			if t.count("income") > 0 {
				r.Role = Unknown
			}
		case "birth weight":
			if mother >= 0 && mother != j {
				set(j, Response, mother)
			} else {
				r.Role = Given
			}
		case "disease to explain":
			if last || t.count("disease to explain") > 1 {
				r.Role = State
			}
		case "grade":
			if tumour := where("tumour"); tumour >= 0 {
				set(j, State, tumour)
			} else if school >= 0 {
				set(j, Response, school)
			}
		case "state":
			if len(c.Categories) > 5 && people > 0 || len(c.Categories) > 20 {
				r.Role = Given
			}
		case "group":
			if people+medical == 0 && len(t.columns) <= 4 {
				r.Role = Given
			}
		case "concentration":
			if dose := where("dose"); dose >= 0 || spell >= 0 {
				set(j, Response, max(dose, spell))
			} else {
				r.Role = Given
			}
		}
		_ = m
	}
	for j := range t.readings {
		if r := &t.readings[j]; r.Role > Outcome {
			r.Role = Unknown
		}
	}
}
