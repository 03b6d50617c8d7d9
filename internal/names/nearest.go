package names

import "strings"

// longestGuess is the largest length of a term for Nearest: the cost is the product of the lengths, and a
// longer name is unlikely to have a single typing error.
const longestGuess = 200

// Nearest returns the first name at the smallest edit distance from s, if it is near enough: at most a third of
// the letters differ, rounded up, and not all. It ignores case. wild means that s is a pattern.
func Nearest(s string, wild bool, names []string) (string, bool) {
	p := []rune(strings.ToLower(s))
	letters := len(p)
	if wild {
		for _, r := range p {
			if r == '*' || r == '?' {
				letters--
			}
		}
	}
	if letters > longestGuess {
		return "", false
	}
	limit := min((letters+2)/3, letters-1)
	best, found := limit+1, ""
	for _, name := range names {
		q := []rune(strings.ToLower(name))
		if len(q) > longestGuess || !wild && max(len(p)-len(q), len(q)-len(p)) >= best {
			continue
		}
		if dist := Distance(p, q, wild); dist < best {
			best, found = dist, name
		}
	}
	return found, best <= limit
}

// Distance returns the least number of letters to insert, delete or replace in p to get q
// (Levenshtein). If wild, a * in p becomes any run for nothing and ? any letter.
// O(len(p)·len(q)).
func Distance(p, q []rune, wild bool) int {
	row := make([]int, len(q)+1) // row[j] is the distance of p[:i] from q[:j]
	for j := range row {
		row[j] = j
	}
	for _, r := range p {
		diagonal := row[0]
		if wild && r == '*' {
			for j := 1; j < len(row); j++ {
				row[j] = min(row[j], row[j-1])
			}
			continue
		}
		row[0]++
		for j := 1; j < len(row); j++ {
			replace := diagonal
			if r != q[j-1] && !(wild && r == '?') {
				replace++
			}
			diagonal = row[j]
			row[j] = min(replace, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(q)]
}
