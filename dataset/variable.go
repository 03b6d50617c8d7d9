package dataset

// A VariableKind is the measurement scale of a variable. It decides which models fit the column.
type VariableKind string

// The kinds of variables.
const (
	Continuous  VariableKind = "continuous"  // numbers
	Count       VariableKind = "count"       // non-negative whole numbers with many different values
	Ordinal     VariableKind = "ordinal"     // a few ordered categories
	Binary      VariableKind = "binary"      // two categories
	Categorical VariableKind = "categorical" // unordered categories
)

// VariableKinds lists all kinds.
func VariableKinds() []VariableKind {
	return []VariableKind{Continuous, Count, Ordinal, Binary, Categorical}
}

// Discrete reports whether a variable of this kind has a few categories that can be counted.
func (k VariableKind) Discrete() bool { return k == Ordinal || k == Binary || k == Categorical }

// A Variable is a column of a prepared table with the kind that models treat it as.
type Variable struct {
	Name string       `json:"name"`
	Kind VariableKind `json:"kind"`
	// Reason explains in a few words why the column has this kind.
	Reason string `json:"reason"`
	// Levels is the number of different values. It is 0 if the values were not counted, and DistinctLimit if there are
	// more than that.
	Levels int `json:"levels,omitempty"`
	// Words are the texts of the codes 0, 1, … of a text or boolean column.
	Words []string `json:"words,omitempty"`
}

// A Scale is the monotone transformation of a numeric column on which a model describes it.
type Scale string

// The scales.
const (
	RawScale   Scale = ""              // the values themselves
	LogScale   Scale = "log"           // natural logarithms
	ScoreScale Scale = "normal scores" // Φ⁻¹ of the ranks, between 0 and 1
)
