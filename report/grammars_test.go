package report_test

import (
	"fmt"
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
