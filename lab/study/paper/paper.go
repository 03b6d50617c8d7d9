// Package paper reproduces the paper polyDAG as a study: its experiments, its published numbers, and the
// findings about its claims.
package paper

import (
	"bytes"
	_ "embed"
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/polydag/polydag/lab/study"
)

//go:embed paper.yaml
var grid []byte

//go:embed reference.yaml
var references []byte

// Name is what the study is called. One of this name that was read from a file is about the paper, too.
const Name = "paper"

// Study returns the study of the paper's experiments, with the numbers of the paper and of its released code.
func Study() (*study.Study, error) {
	st, err := study.Read(bytes.NewReader(grid))
	if err != nil {
		return nil, fmt.Errorf("paper.yaml: %w", err)
	}
	dec := yaml.NewDecoder(bytes.NewReader(references))
	dec.KnownFields(true)
	if err := dec.Decode(&st.References); err != nil {
		return nil, fmt.Errorf("paper: reference.yaml: %w", err)
	}
	st.Comments = comments{}
	return st, st.Validate()
}

// Comment adds the comments about the paper to a study with the paper's name.
func Comment(st *study.Study) {
	if st.Name == Name {
		st.Comments = comments{}
	}
}

// YAML returns the file of Study, as an example to start from.
func YAML() []byte { return bytes.Clone(grid) }
