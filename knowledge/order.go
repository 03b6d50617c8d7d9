package knowledge

import "strings"

// ParseOrder reads tiers as "a,b < c < d", the earliest first.
func ParseOrder(text string) ([][]string, error) {
	var tiers [][]string
	for part := range strings.SplitSeq(text, "<") {
		var tier []string
		for name := range strings.SplitSeq(part, ",") {
			if name = strings.TrimSpace(name); name != "" {
				tier = append(tier, name)
			}
		}
		if len(tier) == 0 {
			return nil, fault("%q has a tier without a column; write 'a,b < c < d'", text)
		}
		tiers = append(tiers, tier)
	}
	if len(tiers) < 2 {
		return nil, fault("%q has one tier; write 'a,b < c < d'", text)
	}
	return tiers, nil
}
