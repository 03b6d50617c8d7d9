// Package licenses has the licences of third-party works in the command: the linked Go modules, Go itself, and
// embedded data (Graphviz, the page's libraries). They are generated from the sources:
//
//	go generate ./internal/licenses
package licenses

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/json"
	"fmt"
)

//go:generate go run ../../packaging/generate/licenses.go

//go:embed licenses.json.gz
var packed []byte

// A Work is one thing made by others, with every text that its licence wants to travel with it.
type Work struct {
	Name    string `json:"name"` // the path of a Go module, or the name of a package of another kind
	Version string `json:"version"`
	Texts   []Text `json:"texts"`
}

// A Text is a file of a work.
type Text struct {
	File string `json:"file"`
	Text string `json:"text"`
}

// All returns the works in the order of their names.
func All() ([]Work, error) {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("licenses: the embedded texts are damaged: %w; build the program anew", err)
	}
	var works []Work
	if err := json.NewDecoder(z).Decode(&works); err != nil {
		return nil, fmt.Errorf("licenses: the embedded texts are damaged: %w; build the program anew", err)
	}
	return works, nil
}
