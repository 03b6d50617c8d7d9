package role

import "fmt"

// Odds returns the log odds that column i comes before column j by their names, and a reason in words. It returns 0 and no reason
// where the names say nothing. Odds(j, i) is its negative, with the same reason.
func (r Readings) Odds(i, j int) (logOdds float64, reason string) {
	a, b := r[i], r[j]
	if a.moment.given && b.moment.given && a.moment.stem == b.moment.stem && a.moment.order != b.moment.order {
		if a.moment.order < b.moment.order {
			return momentOdds, "measured earlier by its name"
		}
		return -momentOdds, "measured earlier by its name"
	}
	forward := before(a, b)
	if a.Unsure || b.Unsure {
		forward /= 2
	}
	if backward := before(b, a); forward == 0 && backward != 0 {
		l, reason := r.Odds(j, i)
		return -l, reason
	}
	switch {
	case forward == 0:
		return 0, ""
	case a.Role == Given || a.Role == Treatment && b.Role == Unknown:
		return forward, fmt.Sprintf("%s comes first by its name", a.Meaning)
	case b.Role >= Response:
		return forward, fmt.Sprintf("%s comes last by its name", b.Meaning)
	}
	return forward, fmt.Sprintf("%s comes before %s by their names", a.Meaning, b.Meaning)
}

// momentOdds are the log odds that the measurement with the earlier moment comes first.
const momentOdds = 3

// before returns the log odds that a column with reading a comes before one with reading b, 0 if they say nothing in this order.
func before(a, b Reading) float64 {
	switch {
	case a.Role == b.Role, b.Role == Given, a.Role == Outcome, a.Role == Unknown && b.Role < Response:
		return 0
	case (a.Meaning == "residence" || a.Meaning == "place") && (b.Role == Early || b.Role == Life):
		return 0 // people move
	case a.Role == Unknown || a.Role == Given:
		return 2.5
	case b.Role == Unknown, a.Role > b.Role, b.Role == Treatment:
		return 0
	}
	return 2
}
