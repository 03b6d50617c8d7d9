package knowledge

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/polydag/polydag/internal/names"
)

const sketch = `{"require": ["a->b"], "forbid": ["*->a"], "tiers": [["a"], ["b"]]}`

var keys = []string{"require", "forbid", "prior", "tiers", "tier_odds", "groups", "sources"}

// ReadSpec reads a Spec from JSON: an object with the keys require, forbid, prior, tiers, tier_odds, groups and sources, or an array of arrays, which
// are the tiers. It checks only the syntax; Resolve checks the entries. Unlike encoding/json it rejects unknown and repeated keys, null
// among names, and anything after the value.
func ReadSpec(r io.Reader) (Spec, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return Spec{}, err
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if !utf8.Valid(data) {
		return Spec{}, fault("the file is not UTF-8; save it as UTF-8")
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return Spec{}, fault("the file is empty; write %s", sketch)
	}
	if err := checkSyntax(data); err != nil {
		return Spec{}, err
	}
	switch data = bytes.TrimSpace(data); data[0] {
	case '[':
		tiers, err := readTiers(data)
		return Spec{Tiers: tiers}, err
	case '{':
		return readObject(data)
	}
	return Spec{}, fault("the file holds %s; write an object, %s, or an array of tiers, [[\"a\"], [\"b\"]]",
		excerpt(data), sketch)
}

// checkSyntax reports the line and column at which data stops being one JSON value.
func checkSyntax(data []byte) error {
	var value json.RawMessage
	err := json.Unmarshal(data, &value)
	if err == nil {
		return nil
	}
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return fault("%v", err)
	}
	first := json.NewDecoder(bytes.NewReader(data))
	if first.Decode(&value) == nil {
		end := int(first.InputOffset())
		end += len(data[end:]) - len(bytes.TrimLeft(data[end:], " \t\r\n"))
		return fault("%s: %s follows the end of the JSON value; a file holds one object",
			position(data, end), excerpt(data[end:]))
	}
	// Offset includes the offending byte, which is absent at the end of the input.
	at := int(syntax.Offset)
	if at > 0 && at <= len(data) && !strings.Contains(syntax.Error(), "unexpected end") {
		at--
	}
	return fault("%s: %v; mend the JSON there", position(data, at), syntax)
}

// position formats the line and column of data[at]; columns count bytes.
func position(data []byte, at int) string {
	before := data[:min(at, len(data))]
	return fmt.Sprintf("line %d, column %d", 1+bytes.Count(before, []byte("\n")), len(before)-bytes.LastIndexByte(before, '\n'))
}

// excerpt returns the beginning of a JSON value for a message.
func excerpt(raw []byte) string {
	const most = 24
	r := []rune(string(bytes.TrimSpace(raw)))
	if len(r) > most {
		return string(r[:most]) + "…"
	}
	return string(r)
}

// A member is one key of a JSON object and its value.
type member struct {
	key   string
	value json.RawMessage
}

// members returns the members of the object raw in order, and rejects repeated keys, because encoding/json
// would keep only the last. raw is valid JSON that begins with '{'.
func members(raw []byte, what string) ([]member, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if _, err := dec.Token(); err != nil {
		return nil, fault("%v", err)
	}
	var all []member
	seen := map[string]bool{}
	for dec.More() {
		var m member
		token, err := dec.Token()
		if err == nil {
			m.key = token.(string)
			err = dec.Decode(&m.value)
		}
		if err != nil {
			return nil, fault("%v", err)
		}
		if seen[m.key] {
			return nil, fault("%s %q occurs twice; join the two into one", what, m.key)
		}
		seen[m.key] = true
		all = append(all, m)
	}
	return all, nil
}

func readObject(data []byte) (Spec, error) {
	all, err := members(data, "key")
	if err != nil {
		return Spec{}, err
	}
	var s Spec
	var errs []error
	for _, m := range all {
		var err error
		switch m.key {
		case "require":
			s.Require, err = readEdges(m)
		case "forbid":
			s.Forbid, err = readEdges(m)
		case "prior":
			if s.Prior, err = readStrings(m.value, m.key, `probabilities, ["a->b=0.8"]`); len(s.Prior) == 0 {
				s.Prior = nil
			}
		case "tiers":
			s.Tiers, err = readTiers(m.value)
		case "tier_odds":
			if json.Unmarshal(m.value, &s.TierOdds) != nil {
				err = fault("tier_odds: want a number above 1, got %s", excerpt(m.value))
			}
		case "groups":
			s.Groups, err = readLists(m.value, "group", `names, ["a", "b_*"]`, `{"hair": ["hair_*"]}`)
		case "sources":
			s.Sources, err = readLists(m.value, "source", `entries, ["a->b=0.8"]`, `{"a study": ["a->b=0.8"]}`)
		default:
			if near, ok := names.Nearest(m.key, false, keys); ok {
				err = fault("unknown key %q; did you mean %q?", m.key, near)
			} else {
				err = fault("unknown key %q; the keys are %s", m.key, strings.Join(keys, ", "))
			}
		}
		if err != nil {
			errs = append(errs, err)
		}
	}
	if len(errs) > 0 {
		return Spec{}, errors.Join(errs...)
	}
	return s, nil
}

func readEdges(m member) ([]string, error) {
	list, err := readStrings(m.value, m.key, `edges, ["a->b"]`)
	if len(list) == 0 {
		return nil, err
	}
	return list, err
}

func readTiers(raw []byte) ([][]string, error) {
	all, err := readArray(raw, "tiers", `lists of names, [["a", "b"], ["c"]]`)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	tiers := make([][]string, len(all))
	var errs []error
	for t, raw := range all {
		if tiers[t], err = readStrings(raw, fmt.Sprintf("tiers[%d]", t), `names, ["a", "b"]`); err != nil {
			errs = append(errs, err)
		}
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return tiers, nil
}

// readLists reads the object of lists under the key that is the plural of what.
func readLists(raw []byte, what, entries, example string) (map[string][]string, error) {
	switch raw[0] {
	case 'n': // null
		return nil, nil
	case '{':
	default:
		return nil, fault("%ss: want an object of lists, %s, got %s", what, example, excerpt(raw))
	}
	all, err := members(raw, what)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	lists := make(map[string][]string, len(all))
	var errs []error
	for _, m := range all {
		list, err := readStrings(m.value, fmt.Sprintf("%s %q", what, m.key), entries)
		if err != nil {
			errs = append(errs, err)
		}
		lists[m.key] = list
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return lists, nil
}

// readArray treats null as an empty array, because encoding/json writes a nil slice as null.
func readArray(raw []byte, where, want string) ([]json.RawMessage, error) {
	var all []json.RawMessage
	if raw[0] != '[' && raw[0] != 'n' {
		return nil, fault("%s: want a list of %s, got %s", where, want, excerpt(raw))
	}
	if err := json.Unmarshal(raw, &all); err != nil {
		return nil, fault("%s: %v", where, err)
	}
	return all, nil
}

// readStrings returns a list that is never nil.
func readStrings(raw []byte, where, want string) ([]string, error) {
	all, err := readArray(raw, where, want)
	if err != nil {
		return nil, err
	}
	list := make([]string, len(all))
	var errs []error
	for i, raw := range all {
		if raw[0] != '"' {
			errs = append(errs, fault("%s[%d]: want a string, got %s", where, i, excerpt(raw)))
		} else if err := json.Unmarshal(raw, &list[i]); err != nil {
			errs = append(errs, fault("%s[%d]: %v", where, i, err))
		}
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return list, nil
}
