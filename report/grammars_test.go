package report_test

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strings"

	"github.com/polydag/polydag"
)

// tokens splits a text by alternatives that must cover it; what matches space or a comment is dropped.
func tokens(text string, token *regexp.Regexp, skip string) ([]string, error) {
	var out []string
	for text != "" {
		m := token.FindString(text)
		if m == "" {
			return nil, fmt.Errorf("no token at %.40q", text)
		}
		text = text[len(m):]
		if strings.TrimSpace(m) != "" && (skip == "" || !strings.HasPrefix(m, skip)) {
			out = append(out, m)
		}
	}
	return out, nil
}

// dotToken matches a token of DOT, by the rules of Graphviz's scanner: \" is a quote, \\ is unchanged, \ and a
// line end vanish, and so does a line end that is a whole piece of the string (Graphviz 2.43).
var dotToken = regexp.MustCompile(`^(?:\s+|//[^\n]*\n|"(?:\\.|\\\n|[^"\\])*"|->|[\[\]{};,=]|[A-Za-z_][A-Za-z_0-9]*)`)

func dotValue(token string) string {
	if !strings.HasPrefix(token, `"`) {
		return token
	}
	return regexp.MustCompile(`\\[\\"\n]|\\|[^\\"]+`).ReplaceAllStringFunc(token[1:len(token)-1], func(s string) string {
		if read, ok := map[string]string{`\"`: `"`, "\\\n": "", "\n": ""}[s]; ok {
			return read
		}
		return s
	})
}

func readDOT(text []byte, r *polydag.Result) (found, error) {
	list, err := tokens(string(text), dotToken, "//")
	if err != nil {
		return found{}, err
	}
	names := aliasTable(text, `(?m)^// (.*)$`)
	if got := strings.Join(list[:14], " "); got != "digraph polydag { rankdir = TB ; node [ shape = box , style" {
		return found{}, fmt.Errorf("begins %s", got)
	}
	list = list[18:]
	var f found
	for list[0] != "}" {
		id := []string{dotValue(list[0])}
		list = list[1:]
		if list[0] == "->" {
			id, list = append(id, dotValue(list[1])), list[2:]
		}
		attr := map[string]string{}
		if list[0] == "[" {
			for list = list[1:]; list[0] != "]"; {
				if list[1] != "=" {
					return f, fmt.Errorf("no = after %s", list[0])
				}
				attr[list[0]] = dotValue(list[2])
				if list = list[3:]; list[0] == "," {
					list = list[1:]
				}
			}
			list = list[1:]
		}
		if list[0] != ";" {
			return f, fmt.Errorf("%q ends in %q", id, list[0])
		}
		list = list[1:]
		if len(id) == 1 {
			name := names.of(id[0])
			f.names = append(f.names, name)
			// The label shows the name, whatever the id: backslash escapes, then entities.
			label, ok := attr["label"]
			if !ok {
				label = id[0]
			}
			shown := strings.NewReplacer(`\\`, `\`, `\n`, "\n", "&amp;", "&").Replace(label)
			if want := strings.NewReplacer("\r\n", "\n", "\r", " ", "\x00", "\ufffd").Replace(name); shown != want {
				return f, fmt.Errorf("%q has the label %q", name, shown)
			}
			continue
		}
		e := foundEdge{names.of(id[0]), names.of(id[1]), float(attr["coefficient"]), float(attr["standardized"]), "-->", truth(attr["compelled"]), judgedBy(func(name string) string { return attr[name] })}
		if attr["dir"] == "both" {
			tail := map[string]string{"none": "-", "normal": "<", "odot": "o"}[attr["arrowtail"]]
			head := map[string]string{"none": "-", "normal": ">", "odot": "o"}[attr["arrowhead"]]
			e.mark = tail + "-" + head
			if _, labelled := attr["label"]; labelled || attr["style"] != "" || attr["color"] != "#5B636C" {
				return f, fmt.Errorf("%v is drawn as %v", e, attr)
			}
		} else {
			if attr["dir"] == "none" {
				e.mark = "---"
			}
			if weak := e.verdict == polydag.Weak; (attr["style"] == "dotted") != weak || attr["style"] != "" && !weak || (attr["color"] == "#D55E00") != (e.weight != nil && *e.weight < 0) || (attr["color"] == "#5B636C") != (e.mark == "---") {
				return f, fmt.Errorf("%v is drawn as %v", e, attr)
			}
		}
		f.edges = append(f.edges, e)
	}
	if len(list) > 1 {
		return f, fmt.Errorf("%d tokens after the end", len(list)-1)
	}
	return f, nil
}

// gaussianToken matches a token of the grammar in docs/reference/formats.md.
var gaussianToken = regexp.MustCompile(`^(?:[ \n]+|"(?:[^"\\\n]|\\.)*"|[a-z]+|-?[0-9][0-9.]*(?:e[+-][0-9]+)?|[{}();|,])`)

func readGaussian(text []byte, r *polydag.Result) (f found, err error) {
	list, err := tokens(string(text), gaussianToken, "")
	if err != nil {
		return f, err
	}
	defer func() { // running off the end of the list is the one panic there can be
		if v := recover(); v != nil {
			err = fmt.Errorf("%v", v)
		}
	}()
	take := func(want ...string) {
		for _, w := range want {
			if list[0] != w {
				panic(fmt.Sprintf("%q where %q should be", list[0], w))
			}
			list = list[1:]
		}
	}
	next := func() string {
		s := list[0]
		list = list[1:]
		return s
	}
	name := func() (s string) {
		if err := json.Unmarshal([]byte(next()), &s); err != nil {
			panic(err)
		}
		return s
	}
	take("network")
	name()
	for take("{"); list[0] == "property"; take(";") {
		next()
		name()
	}
	take("}")
	for list[0] == "variable" {
		next()
		f.names = append(f.names, name())
		take("{", "type", "continuous", ";", "}")
	}
	mean := map[string]float64{}
	for _, n := range r.Nodes {
		mean[n.Name] = n.Mean
	}
	for i := 0; len(list) > 0; i++ {
		take("probability", "(")
		child := name()
		if child != f.names[i] {
			return f, fmt.Errorf("probability %d is of %q", i, child)
		}
		var parents []string
		if list[0] == "|" {
			for next(); ; next() {
				parents = append(parents, name())
				if list[0] != "," {
					break
				}
			}
		}
		take(")", "{", "intercept")
		predicted := *float(next())
		scale := math.Abs(predicted)
		take(";")
		if len(parents) > 0 {
			take("coefficients")
			for k, p := range parents {
				if k > 0 {
					take(",")
				}
				w := *float(next())
				predicted += w * mean[p]
				scale += math.Abs(w * mean[p])
				f.edges = append(f.edges, foundEdge{from: p, to: child, weight: &w})
			}
			take(";")
		}
		// The equation holds at the means.
		if math.Abs(predicted-mean[child]) > 1e-12*scale {
			return f, fmt.Errorf("%q: the equation gives %v at the means, want %v", child, predicted, mean[child])
		}
		take("variance")
		if v := *float(next()); v != r.Nodes[i].ResidualVariance {
			return f, fmt.Errorf("%q: variance %v", child, v)
		}
		take(";", "}")
	}
	return f, nil
}
