package role

import (
	"fmt"
	"slices"
)

// The log odds of a claim by names. The shares were measured before the list had been corrected on any table: pairs of columns whose
// order is known in 56 real tables, and how many of these were right. They end at 3.5, a share of 0.97, because tables of the same
// packages are alike. TestStudyNames prints them for the present list.
const (
	givenOdds    = 3.5 // 519 of 523: nothing causes a given column
	outcomeOdds  = 3.5 // 112 of 112: nothing follows an outcome
	responseOdds = 2.7 // 66 of 70: a response follows
	ladderOdds   = 2.0 // 16 of 18: roles between given and response
	momentOdds   = 3.5 // two measurements of one quantity; too few in these tables (1 of 1), so as for given
	bothOdds     = 1.0 // 89 of 89: added where a given column meets a response or an outcome
)

// Odds returns the log odds that column i comes before column j by their names, and a reason in words. It returns 0 and no reason
// where the names say nothing. Odds(j, i) is the negative of Odds(i, j) and has the same reason.
func (r Readings) Odds(i, j int) (logOdds float64, reason string) {
	if r[i].lag != r[j].lag {
		return 0, "" // time has decided
	}
	if l, reason := before(r[i], r[j]); l > 0 {
		return l, reason
	}
	if l, reason := before(r[j], r[i]); l > 0 {
		return -l, reason
	}
	return 0, ""
}

// within lists meanings that come later than one of the same role, or of a role that says nothing.
var within = map[string][]string{
	"sex": {"residence"}, "age": {"residence"}, "birth": {"residence"}, "ethnicity": {"residence"}, "native": {"residence"}, "family background": {"residence"},
	"weight":  {"blood and vital signs", "illness", "diabetes", "disease to explain"},
	"body":    {"blood and vital signs", "illness", "diabetes", "disease to explain"},
	"wage":    {"income", "insurance"},
	"income":  {"insurance"},
	"tumour":  {"treatment"},
	"relapse": {"death"},
}

// trials are the words for a treatment that are usual where it was given by chance.
var trials = map[string]bool{"treatment": true, "treat": true, "treated": true, "trt": true, "trtmt": true, "rx": true}

// before returns the log odds that a column comes before another one, 0 if their names do not say that it does.
func before(a, b Reading) (logOdds float64, reason string) {
	if a.moment.given && b.moment.given && a.moment.stem == b.moment.stem && a.moment.order != b.moment.order {
		if a.moment.order > b.moment.order {
			return 0, ""
		}
		return momentOdds, "it was measured earlier by its name"
	}
	switch {
	case a.Meaning == "random assignment" && b.first:
		return 0, ""
	case a.Role != Unknown && a.Role <= b.Role && slices.Contains(within[a.Meaning], b.Meaning) && !trials[b.Phrase]:
		logOdds, reason = ladderOdds, fmt.Sprintf("%s comes before %s by their names", a.Meaning, b.Meaning)
	case a.Role == b.Role, b.Role == Given, a.Role == Outcome, a.Meaning == "identifier", b.Meaning == "identifier":
		return 0, ""
	case (a.Meaning == "residence" || a.Meaning == "place") && (b.Role == Early || b.Role == Life):
		return 0, "" // people move
	case a.Meaning == "year of a thing" && (b.Role == Early || slices.Contains(meaningsOfPeople, b.Meaning)):
		return 0, "" // people choose a new car or an old one
	case a.Role == Given:
		logOdds, reason = givenOdds, a.Meaning+" comes first by its name"
	case b.Role != Unknown && a.Role > b.Role, a.Role == Unknown && b.Role < Response:
		return 0, ""
	case b.Role == Outcome:
		logOdds, reason = outcomeOdds, b.Meaning+" comes last by its name"
	case b.Role == Response:
		logOdds, reason = responseOdds, b.Meaning+" comes last by its name"
	case a.Role == Treatment && b.Role == Unknown && b.moment.later:
		logOdds, reason = responseOdds, "it was measured after "+a.Meaning+" by its name"
	case a.Role == Unknown, b.Role == Unknown, b.Role == Treatment:
		return 0, ""
	default:
		logOdds, reason = ladderOdds, fmt.Sprintf("%s comes before %s by their names", a.Meaning, b.Meaning)
	}
	if a.Role == Given && b.Role >= Response {
		logOdds += bothOdds
	}
	if a.Unsure || b.Unsure {
		logOdds /= 2
	}
	return logOdds, reason
}
