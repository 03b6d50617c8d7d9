package audit

// Schema is the version of a Report as JSON.
const Schema = "polydag.audit/1"

// A Report has the audits of one predictor or two in one table or more.
type Report struct {
	Label string `json:"label"`
	// Level is the level of the intervals.
	Level  float64 `json:"level"`
	Audits []Audit `json:"audits"`
}

// An Audit is what a predictor uses in a table, or the difference of two predictors or of two tables.
type Audit struct {
	Table      string `json:"table"`
	Prediction string `json:"prediction"`
	// LessTable and LessPrediction name what is subtracted; at most one of them is there.
	LessTable      string `json:"less_table,omitempty"`
	LessPrediction string `json:"less_prediction,omitempty"`
	Rows           int    `json:"rows"` // of the first table
	Uses           []Use  `json:"uses"`
	// Pairs are matched pictures, of columns that are used.
	Pairs []Pair `json:"pairs,omitempty"`
}

// A Pair is two pictures that differ in a column and in the prediction, and agree on the label and the other columns.
type Pair struct {
	Column string  `json:"column"`
	Low    Picture `json:"low"`
	High   Picture `json:"high"`
}

// A Picture is one picture of a pair.
type Picture struct {
	Image      string  `json:"image"`
	Value      float64 `json:"value"` // of the column
	Prediction float64 `json:"prediction"`
}

// Used reports whether the adjusted p-value is below 0.05.
func (u Use) Used() bool { return u.P < 0.05 }
