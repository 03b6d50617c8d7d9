package trust

// known is the evidence of prior knowledge that decides the direction, alone.
func known() Reason {
	return Reason{Source: FromKnowledge, Text: "prior knowledge determines the direction"}
}
