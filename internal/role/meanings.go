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
	name string
	role Role
}

// A dictionary finds the meaning of a phrase.
type dictionary struct {
	meanings []meaning
	phrases  map[string]int  // words joined by spaces, to the index of a meaning
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
	d := &dictionary{phrases: map[string]int{}, pieces: map[string]bool{}}
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
		if !ok {
			return nil, fmt.Errorf("line %d: no colon", number)
		}
		d.meanings = append(d.meanings, meaning{name, role})
		for phrase := range strings.SplitSeq(words, ",") {
			list := split(phrase)
			if len(list) == 0 {
				return nil, fmt.Errorf("line %d: an empty phrase", number)
			}
			d.add(list, len(d.meanings)-1)
		}
	}
	for _, set := range []map[string]bool{qualifiers, persons, parents, earlyWords, lateWords, moments} {
		for w := range set {
			d.piece(w)
		}
	}
	return d, nil
}

// add enters a phrase; the first line that has it counts.
func (d *dictionary) add(words []string, m int) {
	key := strings.Join(words, " ")
	if _, again := d.phrases[key]; again {
		return
	}
	d.phrases[key] = m
	d.longest = max(d.longest, len(words))
	for _, w := range words {
		d.piece(w)
	}
	if len(words) == 1 && unspaced(words[0]) {
		d.han = append(d.han, words[0])
	}
}

func (d *dictionary) piece(w string) {
	if len(w) >= 3 && !fillers[w] {
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
	before  []string // the words before the phrase
	digits  string   // the number at the end
}

// match finds the meaning of a name: the longest known phrase at its end, or before its first preposition.
func (d *dictionary) match(name string) match {
	words := split(name)
	if m := d.lookUp(words); m.meaning >= 0 {
		return m
	}
	if whole := strings.Join(words, ""); len(words) > 1 && len(whole) < 40 {
		for _, other := range [][]string{{singular(whole)}, d.apart(strings.TrimRight(whole, "0123456789"))} {
			if m := d.lookUp(other); m.meaning >= 0 {
				m.words = words
				return m
			}
		}
	}
	return match{meaning: -1, words: words}
}

// lookUp finds the meaning of a list of words.
func (d *dictionary) lookUp(words []string) match {
	m := match{meaning: -1, words: words}
	if len(words) == 0 {
		return m
	}
	try := func(list []string) bool {
		for start := max(0, len(list)-d.longest); start < len(list); start++ {
			key := strings.Join(list[start:], " ")
			if at, ok := d.phrases[key]; ok {
				m.meaning, m.phrase, m.before = at, key, list[:start]
				return true
			}
		}
		return false
	}
	if try(words) {
		return m
	}
	var list []string // known words, single words that were written together taken apart
	for _, w := range words {
		switch at := len(list); {
		case d.pieces[w] || len(w) < 5:
			list = append(list[:at], w)
		default:
			if parts := d.apart(w); parts != nil {
				list = append(list, parts...)
			} else if rest, ok := strings.CutPrefix(w, "l"); ok && d.known(rest) { // lwage is the logarithm
				list = append(list, "log", rest)
			} else if rest, ok := strings.CutSuffix(w, "sq"); ok && d.known(rest) {
				list = append(list, rest)
			} else {
				list = append(list, w)
			}
		}
	}
	if try(list) {
		return m
	}
	for cut := range list { // the part before a preposition, if it is more than a qualifier
		if !fillers[list[cut]] {
			continue
		}
		if head := list[:cut]; !allIn(head, qualifiers) {
			if without := dropWords(list, fillers); try(without) && strings.Contains(m.phrase, " ") && len(m.before) == 0 {
				return m
			}
			m.meaning = -1
			list = head
		} else {
			list = list[cut+1:]
		}
		break
	}
	list = dropWords(list, fillers)
	if try(list) {
		return m
	}
	for len(list) > 0 {
		last := list[len(list)-1]
		if digits := strings.Trim(last, "0123456789") == ""; digits {
			m.digits = last
		} else if !qualifiers[last] && len([]rune(last)) > 1 {
			break
		}
		if list = list[:len(list)-1]; try(list) {
			return m
		}
	}
	if len(list) > 0 && unspaced(list[len(list)-1]) {
		last, found := list[len(list)-1], ""
		for _, w := range d.han {
			if strings.HasSuffix(last, w) && len(w) > len(found) {
				found = w
			}
		}
		if found != "" {
			m.meaning, m.phrase = d.phrases[found], found
		}
	}
	return m
}

// known reports whether a single word has a meaning and is long enough to follow a letter.
func (d *dictionary) known(w string) bool {
	_, ok := d.phrases[singular(w)]
	return ok && len(w) >= 3
}

func allIn(words []string, set map[string]bool) bool {
	for _, w := range words {
		if !set[w] {
			return false
		}
	}
	return true
}

func dropWords(words []string, set map[string]bool) []string {
	var out []string
	for _, w := range words {
		if !set[w] {
			out = append(out, w)
		}
	}
	return out
}
