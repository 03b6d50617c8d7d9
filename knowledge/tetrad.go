package knowledge

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// tetradHead begins knowledge in Tetrad's text format.
const tetradHead = "/knowledge"

// A tetradReader reads the text format of Tetrad and causal-cmd:
//
//	/knowledge
//	addtemporal
//	1 age sex
//	2* dose
//
//	forbiddirect
//	dose sex
//
//	requiredirect
//	age dose
//
// Tiers are numbered, from 0 or 1; a * after the number forbids edges inside the tier, and a - those to tiers after the next one.
// Names are separated by spaces, or by commas if the first line is /knowledge comma, and may be in double quotes. As in Tetrad, *
// in a name is any run of characters. The groups of forbiddengroup are two lines each, causes and effects.
type tetradReader struct {
	spec    Spec
	comma   bool
	tiers   map[int][]string
	within  map[int]bool // no edges inside the tier
	nearest map[int]bool // no edges to a tier after the next
	causes  []string     // causes of a forbiddengroup whose effects follow
	groups  int
}

// isTetrad reports whether data is in Tetrad's format.
func isTetrad(data []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(data), []byte(tetradHead)) }

// readTetrad parses Tetrad's format. Like ReadSpec it checks only the syntax.
func readTetrad(data []byte) (Spec, error) {
	r := &tetradReader{tiers: map[int][]string{}, within: map[int]bool{}, nearest: map[int]bool{}}
	section, begun := "", false
	for i, line := range strings.Split(string(data), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "//") {
			continue
		}
		at := fmt.Sprintf("line %d", i+1)
		if !begun {
			begun = true
			switch rest := strings.TrimSpace(strings.TrimPrefix(line, tetradHead)); rest {
			case "":
			case "comma":
				r.comma = true
			default:
				return Spec{}, fault("%s: %q follows %s; write %s or %s comma", at, rest, tetradHead, tetradHead, tetradHead)
			}
			continue
		}
		if word, ok := tetradSection(line); ok {
			section = word
			if r.causes != nil {
				return Spec{}, fault("%s: a forbiddengroup has causes and no effects; write them on the line below", at)
			}
			if section == "requiredgroup" || section == "tierstructure" {
				return Spec{}, fault("%s: %s is not read; write its edges under requiredirect or forbiddirect, one a line", at, section)
			}
			continue
		}
		if err := r.line(section, line); err != nil {
			return Spec{}, fault("%s: %w", at, err)
		}
	}
	if r.causes != nil {
		return Spec{}, fault("a forbiddengroup at the end has causes and no effects; write them on the line below")
	}
	r.addTiers()
	return r.spec, nil
}

// tetradSection returns the section that a line begins.
func tetradSection(line string) (string, bool) {
	word := strings.ToLower(line)
	for _, section := range []string{"addtemporal", "forbiddirect", "requiredirect", "requireddirect", "forbiddengroup", "requiredgroup", "tierstructure"} {
		if strings.HasPrefix(word, section) {
			return section, true
		}
	}
	return "", false
}

// line parses one line of a section.
func (r *tetradReader) line(section, line string) error {
	switch section {
	case "addtemporal":
		return r.tier(line)
	case "forbiddengroup":
		names, err := r.names(line)
		if err != nil {
			return err
		}
		if r.causes == nil {
			r.causes = names
			return nil
		}
		r.groups++
		r.spec.Forbid = append(r.spec.Forbid, r.group(fmt.Sprintf("causes %d", r.groups), r.causes)+"->"+r.group(fmt.Sprintf("effects %d", r.groups), names))
		r.causes = nil
		return nil
	case "forbiddirect", "requiredirect", "requireddirect":
		names, err := r.names(line)
		if err != nil {
			return err
		}
		if len(names) != 2 {
			return fmt.Errorf("want two names under %s, cause and effect, got %d; put a name with spaces in double quotes", section, len(names))
		}
		if edge := names[0] + "->" + names[1]; section == "forbiddirect" {
			r.spec.Forbid = append(r.spec.Forbid, edge)
		} else {
			r.spec.Require = append(r.spec.Require, edge)
		}
		return nil
	}
	return fmt.Errorf("want addtemporal, forbiddirect or requiredirect, got %q", line)
}

// tier parses a line of addtemporal: a number, its signs, and names.
func (r *tetradReader) tier(line string) error {
	head, rest := line, ""
	if end := strings.IndexAny(line, " \t"); end >= 0 {
		head, rest = line[:end], line[end:]
	}
	number := strings.TrimRight(head, "*-")
	tier, err := strconv.Atoi(number)
	if err != nil || tier < 0 {
		return fmt.Errorf("a line of addtemporal begins with %q; write the number of the tier before its names", head)
	}
	names, err := r.names(rest)
	if err != nil {
		return err
	}
	r.tiers[tier] = append(r.tiers[tier], names...)
	signs := head[len(number):]
	r.within[tier] = r.within[tier] || strings.Contains(signs, "*")
	r.nearest[tier] = r.nearest[tier] || strings.Contains(signs, "-")
	return nil
}

// addTiers converts the tiers, and their signs to forbidden edges between groups.
func (r *tetradReader) addTiers() {
	numbers := slices.Sorted(maps.Keys(r.tiers))
	group := func(tier int) string { return r.group(fmt.Sprintf("tier %d", tier), r.tiers[tier]) }
	for _, tier := range numbers {
		r.spec.Tiers = append(r.spec.Tiers, r.tiers[tier])
		if r.within[tier] && len(r.tiers[tier]) > 1 {
			r.spec.Forbid = append(r.spec.Forbid, group(tier)+"->"+group(tier))
		}
		for _, later := range numbers {
			if r.nearest[tier] && later > tier+1 {
				r.spec.Forbid = append(r.spec.Forbid, group(tier)+"->"+group(later))
			}
		}
	}
}

// group defines a group and returns its reference.
func (r *tetradReader) group(name string, list []string) string {
	if r.spec.Groups == nil {
		r.spec.Groups = map[string][]string{}
	}
	r.spec.Groups[name] = list
	return "@" + name
}

// names splits a line and quotes each name for a Spec.
func (r *tetradReader) names(line string) ([]string, error) {
	var all []string
	separators := " \t"
	if r.comma {
		separators = ","
	}
	for {
		line = strings.Trim(line, separators+" \t")
		if line == "" {
			return all, nil
		}
		if line[0] == '"' {
			name, rest, err := readQuoted(line)
			if err != nil {
				return nil, err
			}
			all, line = append(all, exact(name)), rest
			continue
		}
		end := strings.IndexAny(line, separators)
		if end < 0 {
			end = len(line)
		}
		name := strings.TrimSpace(line[:end])
		line = line[end:]
		if !strings.Contains(name, "*") { // a pattern, in Tetrad as here
			name = exact(name)
		}
		all = append(all, name)
	}
}
