package role

// A Suggestion is what a person may say of a column whose name alone does not decide.
type Suggestion struct {
	Column int
	Root   bool   // nothing in the table causes the column; otherwise it causes nothing
	If     string // the condition under which it is true, as in "it was assigned at random"
}

// conditions are those of meanings that are often a root or an outcome.
var conditions = map[string]struct {
	root bool
	text string
}{
	"treatment":                  {true, "it was assigned at random"},
	"group":                      {true, "it was assigned at random"},
	"residence":                  {true, "people did not choose it"},
	"state":                      {true, "it is a place"},
	"concentration":              {true, "it was set and not measured"},
	"nutrient":                   {true, "it was set and not measured"},
	"calendar":                   {true, "it is a date"},
	"time to event":              {false, "it is the time until an event"},
	"event":                      {false, "it is the end of what was observed"},
	"failure":                    {false, "it is the end of what was observed"},
	"answer":                     {false, "it is the outcome"},
	"count":                      {false, "it is the outcome"},
	"quality":                    {false, "it is the outcome"},
	"satisfaction":               {false, "it is the outcome"},
	"spending":                   {false, "it is the outcome"},
	"price":                      {false, "it is the outcome"},
	"business result":            {false, "it is the outcome"},
	"school result":              {false, "it is the outcome"},
	"scores by subject":          {false, "it is the outcome"},
	"wage":                       {false, "it is the outcome"},
	"default":                    {false, "it is the outcome"},
	"left":                       {false, "it is the outcome"},
	"labour force participation": {false, "it is the outcome"},
}

// Suggestions returns one for each column whose name means something that is often, but not always, a root or an outcome.
func (r Readings) Suggestions() (list []Suggestion) {
	for j, c := range r {
		if about, ok := conditions[c.Meaning]; ok && (c.Role == Unknown || c.Unsure) {
			list = append(list, Suggestion{j, about.root, about.text})
		}
	}
	return list
}

// In returns the columns with one of the roles that are not unsure.
func (r Readings) In(roles ...Role) (list []int) {
	for j, c := range r {
		for _, role := range roles {
			if c.Role == role && !c.Unsure {
				list = append(list, j)
			}
		}
	}
	return list
}
