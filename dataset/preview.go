package dataset

// A Preview shows the values of a table as its file has them, before any column is excluded.
type Preview struct {
	// Rows has the first rows as text, with a value for each of Columns. A missing value is empty, and long text is cut.
	Rows [][]string `json:"rows"`
	// Sampled is the number of rows that the distributions of Columns count, at equal distances in the file.
	Sampled int             `json:"sampled"`
	Columns []ColumnPreview `json:"columns"`
}

// A ColumnPreview is the distribution of one column among the sampled rows: a histogram of numbers with many values, or the
// counts of categories.
type ColumnPreview struct {
	Name    string `json:"name"`
	Missing int    `json:"missing"`
	// Low and High are the ends of the histogram, whose bins are equally wide. Counts has one entry per bin.
	Low    float64 `json:"low,omitempty"`
	High   float64 `json:"high,omitempty"`
	Counts []int   `json:"counts,omitempty"`
	// Categories has the most frequent texts, or all values of a column with few numbers. Other counts the rest.
	Categories []CategoryCount `json:"categories,omitempty"`
	Other      int             `json:"other,omitempty"`
}

// A CategoryCount is a value and the number of sampled rows that have it.
type CategoryCount struct {
	Value string `json:"value"`
	Count int    `json:"count"`
}
