package names

import "strings"

// controls are categories of a treatment that was not given.
var controls = map[string]bool{"placebo": true, "control": true, "sham": true, "vehicle": true, "ctrl": true}

// absences are categories that say that something is not there.
var absences = map[string]bool{"no": true, "none": true, "never": true, "false": true, "off": true, "absent": true, "negative": true, "untreated": true, "unexposed": true}

// Control reports whether a category of a treatment is the control group, in any case.
func Control(category string) bool { return controls[strings.ToLower(strings.TrimSpace(category))] }

// Reference reports whether a, of the two categories a and b, is the one that the other is compared with: a control group, an absence, or
// the negation of b, such as "not b", "no b", "non-b" and "unb".
func Reference(a, b string) bool {
	return refers(a, b) && !refers(b, a)
}

func refers(a, b string) bool {
	a, b = strings.ToLower(strings.TrimSpace(a)), strings.ToLower(strings.TrimSpace(b))
	if Control(a) || absences[a] {
		return true
	}
	for _, prefix := range []string{"not ", "no ", "non-", "non", "un"} {
		if rest, ok := strings.CutPrefix(a, prefix); ok && rest == b {
			return true
		}
	}
	return false
}
