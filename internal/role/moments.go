package role

import (
	"slices"
	"strconv"
	"strings"
)

// A moment tells measurements of one quantity apart: prewt and postwt, week1 and week8, re74 and re78.
type moment struct {
	stem  string // the other words
	order int    // earlier ones are smaller
	given bool
	later bool // the quantity was also measured earlier
}

// Orders of words. Numbers are between them.
const (
	early = -1
	late  = 1 << 20
)

// units follow a number: bdi.2m.
var units = setOf("m mo month w wk week d day h hr hour yr year min")

// momentOf reads the moment of a measurement from the words of a name.
func momentOf(words []string) moment {
	at := func(order int, stem ...string) moment {
		return moment{stem: strings.Join(stem, " "), order: order, given: true}
	}
	n := len(words)
	if n == 0 {
		return moment{}
	}
	if n == 1 {
		d := theDictionary()
		for prefix, order := range map[string]int{"pre": early, "baseline": early, "post": late} { // no word has two of them
			if rest, ok := strings.CutPrefix(words[0], prefix); ok && (d.known(rest) || d.pieces[rest]) && !d.pieces[words[0]] {
				return at(order, rest)
			}
		}
		return moment{}
	}
	for i, w := range words {
		if rest := slices.Concat(words[:i], words[i+1:]); earlyWords[w] {
			return at(early, rest...)
		} else if lateWords[w] {
			return at(late, rest...)
		}
	}
	if number, err := strconv.Atoi(words[n-2]); err == nil && n > 2 && units[words[n-1]] {
		return at(number, words[:n-2]...)
	}
	number, err := strconv.Atoi(words[n-1])
	if err != nil {
		return moment{}
	}
	year := number >= 1800 && number <= 2100 || number >= 60 && number <= 99 && len(words[n-1]) == 2
	if year && len(strings.Join(words[:n-1], "")) >= 2 || moments[words[n-2]] {
		return at(number, words[:n-1]...)
	}
	return moment{}
}

// compareMoments keeps the moments of quantities that were measured more than once. The column income belongs to previous_income.
func (t *tableOf) compareMoments() {
	first, count := map[string]int{}, map[string]int{}
	for j := range t.readings {
		m := &t.readings[j].moment
		if !m.given {
			stem := strings.Join(t.matches[j].words, " ")
			if slices.ContainsFunc(t.readings, func(r Reading) bool {
				return r.moment.given && r.moment.stem == stem && (r.moment.order == early || r.moment.order == late)
			}) {
				*m = moment{stem: stem, given: true}
			}
		}
		if m.given {
			if count[m.stem] == 0 || m.order < first[m.stem] {
				first[m.stem] = m.order
			}
			count[m.stem]++
		}
	}
	for j := range t.readings {
		if m := &t.readings[j].moment; m.given && count[m.stem] < 2 {
			*m = moment{}
		} else if m.given {
			m.later = m.order > first[m.stem]
		}
	}
}
