package dataset

// TimeSettings say how the rows of a table follow each other in time. The zero value is for a table without an order.
type TimeSettings struct {
	// Column is the time column: numbers or dates. "." uses the order of the rows. Series is the column that identifies the series of a
	// row, if the table has several; no lag crosses a series. Both are excluded from the graph.
	Column, Series string
	// Lags is the number of past steps whose values may be causes; 0 chooses it by the score.
	Lags int
	// Gaps says what to do if a step is longer than the others: GapsError, or GapsBreak to start a new segment.
	Gaps string
	// Step is the distance of two points, such as 1h, 7d, 1mo or 0.5; empty for the median distance of the rows. Aggregate is
	// AggregateMean to average the rows within a step; otherwise two of them are an error.
	Step, Aggregate string
	// PooledMeans keeps the differences between the means of the series, which are removed otherwise (fixed effects).
	PooledMeans bool
	// Difference replaces numeric columns by their changes, Detrend removes linear trends, and Season removes the mean of each step of a
	// season of this length; 0 for none.
	Difference, Detrend bool
	Season              int
}

// The values of Gaps and Aggregate.
const (
	GapsError     = "error"
	GapsBreak     = "break"
	AggregateMean = "mean"
)

// Given reports whether the rows follow each other in time.
func (t TimeSettings) Given() bool { return t.Column != "" }
