package trust

import (
	"fmt"
	"math"
)

// byPrior is the prior odds of the direction.
func byPrior(c *Claim) (Reason, bool) {
	return Reason{Source: FromPrior, LogOdds: c.PriorDirection, Text: fmt.Sprintf("prior odds of %.3g for the direction", math.Exp(c.PriorDirection))}, c.PriorDirection != 0
}
