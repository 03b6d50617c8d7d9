package trust

// byIntervention is the evidence of environments that change only one end of the edge.
func byIntervention(c *Claim) (Reason, bool) {
	r := Reason{Source: FromInterventions, Weight: c.weight}
	if !c.byIntervention() {
		return r, false
	}
	odds := identified
	r.Text = "interventions or environments identify the direction"
	if c.Reversal != nil {
		slope, most := c.curve()
		odds = bounded(slope**c.Reversal, most)
		r.Text += "; " + c.loss()
	}
	return c.turned(r, odds), true
}

// byIntervention reports whether environments direct the edge, and the equivalence class does not.
func (c *Claim) byIntervention() bool {
	return c.environments && c.Compelled && !c.Class && !c.Derived && !c.Identified
}
