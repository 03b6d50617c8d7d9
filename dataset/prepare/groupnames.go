package prepare

import "slices"

// subjectWords are last words of names of subjects, and unitWords those of units with several members, which more often are categories.
var (
	subjectWords = wordSet("subject", "subj", "patient", "patients", "person", "participant", "individual", "individ", "student", "pupil", "user", "customer",
		"client", "respondent", "animal", "rat", "mouse", "dog", "cow", "rabbit", "mare", "horse", "monkey", "chick", "bird", "fish", "worker", "employee",
		"player", "litter", "tree", "firm", "company", "farm", "herd", "household", "hh")
	unitWords = wordSet("school", "class", "classroom", "teacher", "hospital", "clinic", "center", "centre", "site", "village", "plot", "block", "batch", "lot",
		"team", "store", "shop", "run", "family", "group", "house", "station", "sensor", "device", "strip", "wafer", "quake", "brood", "lecturer")
	// groupIDs are words of identifiers that repeat. A column named number, no or index more often is a count.
	groupIDs = wordSet("id", "ids", "uuid", "guid", "key", "idx", "nr", "ident", "identifier")
)

func wordSet(words ...string) map[string]bool {
	set := make(map[string]bool, len(words))
	for _, w := range words {
		set[w] = true
	}
	return set
}

// The names of columns, by how surely they identify groups.
const (
	plainName = iota
	unitName
	subjectName
	idName
)

// nameOf judges the name of a column.
func nameOf(name string) int {
	words := nameWords(name)
	if len(words) == 0 {
		return plainName
	}
	last := words[len(words)-1]
	switch {
	case groupIDs[last] || words[0] == "id" || words[0] == "uuid":
		return idName
	case len(words) == 2 && (last == "number" || last == "no" || last == "num" || last == "code" || last == "name") && (subjectWords[words[0]] || unitWords[words[0]]):
		return idName
	case len(last) > 3 && (last[len(last)-2:] == "id" || last[len(last)-2:] == "nr") && (subjectWords[last[:len(last)-2]] || unitWords[last[:len(last)-2]]): // townid, schoolnr
		return idName
	case len(words) > 1: // economic.cond.household
		return plainName
	case subjectWords[last]:
		return subjectName
	case unitWords[last]:
		return unitName
	}
	return plainName
}

// isTime reports whether a column is named like a time.
func isTime(name string) bool {
	return slices.ContainsFunc(nameWords(name), func(w string) bool { return timeWords[w] || w == "wave" || w == "visit" || w == "age" || w == "t" })
}
