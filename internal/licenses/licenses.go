// Package licenses holds the licences of what is inside the command and was made by others: the Go modules that are linked into it,
// Go itself, and what is embedded as data (Graphviz, the page's libraries). A program writes them, from the sources themselves:
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

//go:generate go run generate.go

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
