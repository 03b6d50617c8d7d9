package paper

import (
	"bytes"
	_ "embed"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/polydag/polydag/lab"
	"github.com/polydag/polydag/lab/study"
)

//go:embed baselines.yaml
var baselines []byte

// Baselines returns the study of all continuous methods of the program on the paper's graphs, with published
// numbers if available. The methods are those of lab.All that threshold a matrix of weights, and the
// default one. A method that the paper's own study has under the same name has the settings of that study.
// Published numbers of other methods are omitted.
func Baselines() (*study.Study, error) {
	st := &study.Study{Flag: "baselines"}
	dec := yaml.NewDecoder(bytes.NewReader(baselines))
	dec.KnownFields(true)
	if err := dec.Decode(st); err != nil {
		return nil, fmt.Errorf("baselines.yaml: %w", err)
	}
	main, err := Study()
	if err != nil {
		return nil, err
	}
	st.Methods = map[string]study.Method{}
	e := &st.Experiments[0]
	for k, m := range lab.All() {
		info := m.Info()
		if !info.Continuous && k > 0 {
			continue
		}
		own, ok := main.Methods[info.Name]
		if !ok || own.Method != info.Name {
			own = study.Method{Method: info.Name}
		}
		own.MaxNodes = 0
		st.Methods[info.Name] = own
		e.Methods = append(e.Methods, info.Name)
	}
	st.References = slices.DeleteFunc(st.References, func(r study.Reference) bool {
		_, ok := st.Methods[r.Method]
		return !ok
	})
	return st, st.Validate()
}
