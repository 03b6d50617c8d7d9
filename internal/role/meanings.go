package role

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"
	"unicode"
)

//go:embed meanings.txt
var meaningsText string

// A meaning is a line of meanings.txt.
type meaning struct {
	name   string
	role   Role
	unsure bool
}

// A dictionary finds the meaning of a phrase.
type dictionary struct {
	meanings []meaning
	phrases  map[string]int  // words joined by spaces, to the index of a meaning
	whole    map[string]bool // phrases that have to be the whole name
	pieces   map[string]bool // words that may be written together with others
	longest  int             // number of words of the longest phrase
	han      []string        // phrases in scripts without spaces
}

var theDictionary = sync.OnceValue(func() *dictionary {
	d, err := parse(meaningsText)
	if err != nil {
		panic(err) // the embedded text is at fault
	}
	return d
})

// parse reads the list of meanings. A phrase may occur once.
func parse(text string) (*dictionary, error) {
	d := &dictionary{phrases: map[string]int{}, whole: map[string]bool{}, pieces: map[string]bool{}}
	var role Role
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if name, ok := strings.CutPrefix(line, "["); ok {
			var known bool
			if role, known = roleOf(strings.TrimSuffix(name, "]")); !known {
				return nil, fmt.Errorf("line %d: no role %s", number, line)
			}
			continue
		}
		name, words, ok := strings.Cut(line, ":")
		if !ok || role == Unknown {
			return nil, fmt.Errorf("line %d: want a role in brackets and then lines with a colon", number)
		}
		name, unsure := strings.CutSuffix(name, "?")
		d.meanings = append(d.meanings, meaning{name, role, unsure})
		for phrase := range strings.SplitSeq(words, ",") {
			phrase, whole := strings.CutPrefix(strings.TrimSpace(phrase), "=")
			list := split(phrase)
			if len(list) == 0 {
				return nil, fmt.Errorf("line %d: an empty phrase", number)
			}
			if !d.add(list, whole, len(d.meanings)-1) {
				return nil, fmt.Errorf("line %d: %s occurs twice", number, phrase)
			}
		}
	}
	for _, set := range []map[string]bool{qualifiers, persons, parents, shares, earlyWords, lateWords, moments, wholeWords} {
		for w := range set {
			d.piece(w)
		}
	}
	return d, nil
}

// add enters a phrase. It returns false if another meaning has it.
func (d *dictionary) add(words []string, whole bool, m int) bool {
	key := strings.Join(words, " ")
	if at, again := d.phrases[key]; again {
		return at == m
	}
	d.phrases[key], d.whole[key] = m, whole
	d.longest = max(d.longest, len(words))
	for _, w := range words {
		d.piece(w)
	}
	if len(words) == 1 && unspaced(words[0]) {
		d.han = append(d.han, words[0])
	}
	return true
}

// piece enters a word that may be written together with others. Short ones are found inside too many words.
func (d *dictionary) piece(w string) {
	if len(w) >= 4 && !fillers[w] || shortPieces[w] {
		d.pieces[w] = true
	}
}

// unspaced reports whether a word is written in a script that puts no spaces between words.
func unspaced(w string) bool {
	for _, r := range w {
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) {
			return true
		}
	}
	return false
}

// apart splits a word that is made of known words, such as wifeage, into as few of them as possible. It returns nil if the
// whole word cannot be made.
func (d *dictionary) apart(word string) []string {
	best := make([][]string, len(word)+1)
	best[0] = []string{}
	for end := 1; end <= len(word); end++ {
		for start := max(0, end-20); start < end; start++ {
			if best[start] == nil || best[end] != nil && len(best[end]) <= len(best[start])+1 {
				continue
			}
			if w := singular(word[start:end]); d.pieces[w] {
				best[end] = append(best[start][:len(best[start]):len(best[start])], w)
			}
		}
	}
	return best[len(word)]
}

// A match is what a name says before the other columns are looked at.
type match struct {
	meaning int      // -1: none
	phrase  string   // the phrase of meanings.txt
	words   []string // all words of the name
}

// match finds the meaning of a name: the longest known phrase at its end, or before its first preposition.
func (d *dictionary) match(name string) match {
	words := split(name)
	m := match{meaning: -1, words: words}
	if m.meaning, m.phrase = d.lookUp(words); m.meaning >= 0 || len(words) < 2 {
		return m
	}
	for _, w := range words { // HHsize is cut as H, Hsize
		if len(w) == 1 {
			m.meaning, m.phrase = d.lookUp(split(strings.ToLower(name)))
			break
		}
	}
	return m
}

// lookUp finds the meaning of a list of words, or -1.
func (d *dictionary) lookUp(words []string) (at int, phrase string) {
	var list []string // words that were written together taken apart
	for _, w := range words {
		list = append(list, d.takeApart(w)...)
	}
	for len(list) > 1 && fillers[list[0]] {
		list = list[1:]
	}
	cut := 1
	for cut < len(list) && !fillers[list[cut]] {
		cut++
	}
	cutAt := ""
	if cut < len(list) {
		if at, phrase, start := d.suffix(list); at >= 0 && start < cut {
			return at, phrase
		}
		cutAt = list[cut]
		head, tail := list[:cut], without(list[cut:])
		if at, phrase, start := d.suffix(append(head[:cut:cut], tail...)); at >= 0 && start < cut {
			return at, phrase
		}
		list = head
		if allIn(head, qualifiers) {
			list = tail
		}
	}
	for len(list) > 0 {
		if at, phrase, _ := d.suffix(list); at >= 0 {
			if d.meanings[at].name == "age" && cutAt == "at" { // age at an event that is not listed
				return -1, ""
			}
			return at, phrase
		}
		last := list[len(list)-1]
		if !qualifiers[last] && len([]rune(last)) > 1 && strings.Trim(last, "0123456789") != "" {
			break
		}
		if list = list[:len(list)-1]; len(list) == 1 && len(list[0]) == 1 && strings.Trim(last, "0123456789") != "" {
			return -1, ""
		}
	}
	if len(list) == 0 || !unspaced(list[len(list)-1]) {
		return -1, ""
	}
	last, found := list[len(list)-1], ""
	for _, w := range d.han {
		if strings.HasSuffix(last, w) && len(w) > len(found) {
			found = w
		}
	}
	if found == "" {
		return -1, ""
	}
	return d.phrases[found], found
}

// suffix finds the longest known phrase at the end of the list. start is the index of its first word.
func (d *dictionary) suffix(list []string) (at int, phrase string, start int) {
	for start := max(0, len(list)-d.longest); start < len(list); start++ {
		key := strings.Join(list[start:], " ")
		if at, ok := d.phrases[key]; ok && (!d.whole[key] || harmless(list[:start])) {
			if len(key) > 1 || len(list) == start+1 && start == 0 { // p is not pH
				return at, key, start
			}
		}
	}
	return -1, "", 0
}

// harmless reports whether words before a phrase leave its meaning as it is.
func harmless(words []string) bool {
	for _, w := range words {
		if !qualifiers[w] && !persons[w] && !earlyWords[w] && !lateWords[w] && len([]rune(w)) > 1 && strings.Trim(w, "0123456789") != "" {
			return false
		}
	}
	return true
}

// takeApart returns a word as the words that it is made of: wifeage, lwage, agesq.
func (d *dictionary) takeApart(w string) []string {
	if _, known := d.phrases[w]; known || d.pieces[w] || len(w) < 5 {
		return []string{w}
	}
	if parts := d.apart(w); parts != nil {
		return parts
	}
	if rest, ok := strings.CutPrefix(w, "l"); ok && logged[rest] {
		return []string{"log", rest}
	}
	if rest, ok := strings.CutSuffix(w, "sq"); ok {
		if _, known := d.phrases[rest]; known {
			return []string{rest, "sq"}
		}
	}
	return []string{w}
}

// known reports whether a word has a meaning.
func (d *dictionary) known(w string) bool {
	_, ok := d.phrases[w]
	return ok
}

func allIn(words []string, set map[string]bool) bool {
	for _, w := range words {
		if !set[w] {
			return false
		}
	}
	return true
}

// without returns the words that are no fillers.
func without(words []string) (out []string) {
	for _, w := range words {
		if !fillers[w] {
			out = append(out, w)
		}
	}
	return out
}
