package trust

// byNames is the evidence of the names of the two columns: age and sex come first, death and default come last. Package role reads them.
func byNames(c *Claim) (Reason, bool) {
	return Reason{Source: FromNames, LogOdds: c.Names, Text: c.NamesText}, c.Names != 0
}
