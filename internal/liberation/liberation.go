// Package liberation holds the Liberation fonts that pictures are drawn with, packed by Brotli, which readers of Parquet files bring along,
// to half their size. A program takes them from the module codeberg.org/go-fonts/liberation, which is not imported because it would embed
// them unpacked:
//
//	go generate ./internal/liberation
package liberation

import (
	"embed"
	"fmt"
	"io"

	"github.com/andybalholm/brotli"
)

//go:generate go run ../../packaging/generate/fonts.go

//go:embed *.ttf.br
var packed embed.FS

// The families of fonts. Each has a regular and a bold weight.
const (
	Sans  Family = "Sans"
	Serif Family = "Serif"
	Mono  Family = "Mono"
)

// A Family is a font in two weights.
type Family string

// TTF returns the regular and the bold font as TrueType files. It unpacks them anew at each call, in a few milliseconds, so the
// caller owns the bytes.
func (f Family) TTF() (regular, bold []byte, err error) {
	if regular, err = f.unpack("Regular"); err != nil {
		return nil, nil, err
	}
	if bold, err = f.unpack("Bold"); err != nil {
		return nil, nil, err
	}
	return regular, bold, nil
}

func (f Family) unpack(weight string) ([]byte, error) {
	name := "Liberation" + string(f) + "-" + weight
	file, err := packed.Open(name + ".ttf.br")
	if err != nil {
		return nil, fmt.Errorf("there is no font %s; the families are %s, %s and %s", name, Sans, Serif, Mono)
	}
	defer file.Close()
	ttf, err := io.ReadAll(brotli.NewReader(file))
	if err != nil {
		return nil, fmt.Errorf("the embedded font %s is damaged: %w; build the program anew", name, err)
	}
	return ttf, nil
}
