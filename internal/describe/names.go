package describe

// A search avoids an edge against the order of the names unless the rows prefer it clearly: at a price of firmness for each unit of log
// odds, on the scale of twice the log-likelihood, and firmnessPerRow for each row. Models of real tables are wrong by an amount for each row,
// so a fixed price would let every large table overrule the names.
const firmness, firmnessPerRow = 20.0, 0.02

// byNames returns the log odds of the direction i → j by the names of the columns, with the reason. Where prior knowledge says something
// about the two columns, the names do not count.
func (d Data) byNames(i, j int) (logOdds float64, reason string) {
	if d.Names == nil || d.Known.Forbidden(i, j) || d.Known.Forbidden(j, i) || d.Known.LogOdds(i, j) != 0 || d.Known.LogOdds(j, i) != 0 {
		return 0, ""
	}
	return d.Names.Odds(i, j)
}

// NamesCost returns the cost of edges against the order of the names for a search over columns in canonical order; nil if the names say
// nothing.
func (d Data) NamesCost() func(i, j int) float64 {
	if !d.Names.Any() {
		return nil
	}
	price := firmness + firmnessPerRow*float64(d.Moments.N)
	return func(i, j int) float64 {
		odds, _ := d.byNames(d.Order[i], d.Order[j])
		return max(0, -odds) * price
	}
}
