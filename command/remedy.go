package command

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/polydag/polydag/fault"
)

// Flagged formats a remedy as flags: --missing drop, --drop age --drop 'body mass', --set no-header. For more than
// ten columns it names three.
func Flagged(r fault.Remedy) string {
	flag, with := spelled(r.Setting), valued(r.Setting)
	switch {
	case r.Value == "true":
		return flag
	case r.Value != "":
		return with + shellWord(r.Value)
	case len(r.Columns) == 0:
		return flag
	}
	shown := r.Columns
	if len(shown) > 10 {
		shown = shown[:3]
	}
	words := make([]string, len(shown))
	for i, name := range shown {
		words[i] = with + shellWord(name)
	}
	s := strings.Join(words, " ")
	if more := len(r.Columns) - len(shown); more > 0 {
		s += fmt.Sprintf(" and so on for %d more", more)
	}
	return s
}

// shellWord quotes a word for a POSIX shell if needed.
func shellWord(word string) string {
	plain := func(r rune) bool {
		return r == '_' || r == '-' || r == '.' || r == ',' || r == ':' || r == '/' || r == '=' ||
			'0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || r > 127
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// worded returns the text of an error with its remedies as flags and commands.
func worded(err error) string {
	return commanded(fault.Text(err, Flagged))
}

// commanded adds commands and flags to a sentence of the library.
func commanded(text string) string {
	for _, c := range commands {
		text = c.plain.ReplaceAllString(text, c.command)
	}
	return text
}

// commands are sentences of the library with the command that answers them.
var commands = []struct {
	plain   *regexp.Regexp
	command string
}{
	{regexp.MustCompile(`(expected|name) the JSON of a result\b`), "$1 what polydag learn --output writes"},
	{regexp.MustCompile(`(holds saved moments): merge them into one file first`), "$1: polydag moments FILES --output all.npz merges them"},
	{regexp.MustCompile(`(the list of attributes of (\S+) as published), and no table yet`), "$1: polydag dataset $2 FILE --output table.csv makes a table of it"},
	{regexp.MustCompile(`\bgive a graph with directed edges only$`), "$0, which polydag convert --dag writes"},
	{regexp.MustCompile(`\bMissing = columns\b`), "--missing columns"},
	{regexp.MustCompile(`(--missing columns drops the hair colours, and) Attributes names`), "$1 --set attributes names"},
}

// noteSetting matches a setting and its value in a sentence about a file.
var noteSetting = regexp.MustCompile(`\b(decimal|date-order|na|keep|groups)=([.,]|[\p{L}\p{N}_]([\p{L}\p{N}_.-]*[\p{L}\p{N}_])?)`)

// wordedNote returns a sentence about a file with its settings as flags.
func wordedNote(note string) string {
	remedies := []fault.Remedy{fault.Use("na"), fault.Use("group-means")}
	for _, m := range noteSetting.FindAllStringSubmatch(note, -1) {
		remedies = append(remedies, fault.Set(m[1], m[2]))
	}
	return fault.Reword(note, remedies, Flagged)
}
