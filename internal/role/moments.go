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
}

// momentOf reads the moment of a measurement from the words of a name.
func momentOf(words []string) moment {
	if len(words) == 1 {
		for set, order := range map[*map[string]bool]int{&earlyWords: -1, &lateWords: 1} {
			for w := range *set {
				if rest, ok := strings.CutPrefix(words[0], w); ok && len(w) >= 3 && len(rest) >= 2 && !lateWords[words[0]] && !earlyWords[words[0]] {
					if order == -1 && (w == "pre" || w == "base" || w == "baseline") || order == 1 && w == "post" {
						return moment{rest, order, true}
					}
				}
			}
		}
	}
	for i, w := range words {
		rest := strings.Join(slices.Delete(slices.Clone(words), i, i+1), " ")
		switch {
		case len(words) == 1:
		case earlyWords[w]:
			return moment{rest, -1, true}
		case lateWords[w]:
			return moment{rest, 1, true}
		}
	}
	if n := len(words); n >= 2 {
		if number, err := strconv.Atoi(words[n-1]); err == nil {
			stem := strings.Join(words[:n-1], " ")
			switch {
			case number >= 1800 && number <= 2100, number >= 60 && number <= 99 && len(words[n-1]) == 2 && len(stem) >= 2:
				return moment{stem, number, true}
			case moments[words[n-2]]:
				return moment{stem, number, true}
			}
		}
	}
	return moment{}
}

// moments removes those that no other column of the same quantity is compared with, except after a treatment.
func (t *tableOf) moments() {
	stems := map[string]int{}
	for _, r := range t.readings {
		if r.moment.given {
			stems[r.moment.stem]++
		}
	}
	for j, r := range t.readings {
		if r.moment.given && stems[r.moment.stem] < 2 {
			t.readings[j].moment = moment{}
		}
	}
}
