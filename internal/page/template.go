package page

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"
)

//go:generate go run ../../packaging/generate/page.go

//go:embed page.html.gz
var packed []byte

// dataMark is the placeholder of the data in page.html.
const dataMark = `"polydag:data"`

// template returns page.html before and after the data. It decompresses it at each call, in a few milliseconds.
func template() (head, tail []byte, err error) {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, nil, fmt.Errorf("the embedded page is damaged: %w; build the program anew", err)
	}
	html, err := io.ReadAll(z)
	if err != nil {
		return nil, nil, fmt.Errorf("the embedded page is damaged: %w; build the program anew", err)
	}
	head, tail, ok := bytes.Cut(html, []byte(dataMark))
	if !ok {
		panic("page: page.html has no place for the data; build it again with make web")
	}
	return head, tail, nil
}
