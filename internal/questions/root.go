package questions

import (
	"github.com/polydag/polydag"
	"github.com/polydag/polydag/internal/role"
)

// Columns returns what is known of the columns of a result from their names and categories.
func Columns(res *polydag.Result) []role.Column {
	columns := role.Columns(res.Names, nil)
	for j, node := range res.Nodes {
		if j < len(columns) && node.Name == columns[j].Name {
			columns[j].Categories, columns[j].Distinct = node.Levels, len(node.Levels)
		}
	}
	return columns
}

// likelyRoots returns for each column the reason why its name is usually that of a root, or "".
func likelyRoots(columns []role.Column) []string {
	reasons := make([]string, len(columns))
	r := role.Read(columns)
	for _, j := range r.In(role.Given) {
		reasons[j] = "the name means " + r[j].Meaning + ", which usually comes first"
	}
	return reasons
}
