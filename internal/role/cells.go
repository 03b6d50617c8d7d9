package role

import (
	"slices"
	"strings"

	"github.com/polydag/polydag/internal/names"
)

// cellWords are the words in cells that tell the meaning of a column.
var cellWords = []struct {
	meaning string
	role    Role
	words   map[string]bool
}{
	{"sex", Given, setOf("male female man woman men women boy girl männlich weiblich homme femme masculin féminin hombre mujer masculino feminino 男 女 男性 女性")},
	{"ethnicity", Given, setOf("black white hispanic asian latino caucasian afam african-american cauc")},
	{"death", Outcome, setOf("dead alive died deceased survived")},
	{"marital status", Life, setOf("married single divorced widowed unmarried separated ledig verheiratet geschieden verwitwet célibataire marié divorcé soltero casado divorciado solteiro viúvo")},
	{"calendar", Given, setOf("spring summer autumn fall winter mon tue wed thu fri sat sun monday tuesday wednesday thursday friday saturday sunday jan feb mar apr may jun jul aug sep sept oct nov dec january february march april june july august september october november december")},
	{"residence", Given, setOf("urban rural")},
	{"calendar", Given, setOf("morning noon afternoon evening night lunch dinner thur thurs tues")},
}

// byCells reads the words in the cells of column j, where the name alone says nothing.
func (t *tableOf) byCells(j int) {
	r, words := &t.readings[j], t.columns[j].Categories
	if (r.Meaning == "treatment" || r.Meaning == "group") && len(words) <= 6 && slices.ContainsFunc(words, names.Control) {
		r.Role, r.Meaning, r.Unsure = Given, "random assignment", false
		return
	}
	if r.Role != Unknown && r.Role != eventRole && r.Role != noRole && r.Role != timeRole || len(words) < 2 {
		return
	}
	for _, c := range cellWords {
		known, first := 0, ""
		for _, w := range words {
			if w = strings.ToLower(strings.TrimSpace(w)); c.words[w] {
				known++
				if first == "" {
					first = w
				}
			}
		}
		if known >= 2 && 3*known >= 2*len(words) {
			r.Role, r.Meaning, r.Phrase, r.Unsure = c.role, c.meaning, first, false
			return
		}
	}
}

// byOtherWords lowers a reading whose other words change the meaning: pct_female is a property of a place, and the education of a
// mother came before that of the child.
func (t *tableOf) byOtherWords(j int) {
	r, m := &t.readings[j], t.matches[j]
	person := slices.Contains([]string{"sex", "ethnicity", "native", "age", "residence"}, r.Meaning)
	group := person && r.Meaning != "age" && t.manyNumbers(j)
	for _, w := range m.words {
		group = group || person && shares[w] && !strings.Contains(m.phrase, w)
		if parents[w] && slices.Contains([]string{"education", "occupation", "income"}, r.Meaning) {
			r.Role, r.Meaning = Given, "family background"
		}
	}
	if group {
		r.Role, r.Meaning = noRole, "part of a population"
	}
}

// oneHot gives columns such as region_south and region_west the role of their common first word.
func (t *tableOf) oneHot() {
	d := theDictionary()
	first := map[string]int{}
	binary := func(j int) bool { return t.columns[j].Distinct == 2 && len(t.matches[j].words) > 1 }
	for j, m := range t.matches {
		if binary(j) {
			first[m.words[0]]++
		}
	}
	for j, m := range t.matches {
		if !binary(j) || t.readings[j].Role != Unknown || first[m.words[0]] < 2 {
			continue
		}
		if at, ok := d.phrases[m.words[0]]; ok && d.meanings[at].role == Given {
			t.readings[j].Role, t.readings[j].Meaning, t.readings[j].Phrase = Given, d.meanings[at].name, m.words[0]
		}
	}
}
