//go:build ignore

// Generate compresses page.html, which the build in web/ writes, for page.go to embed.
package main

import (
	"bytes"
	"compress/gzip"
	"log"
	"os"
)

func main() {
	html, err := os.ReadFile("page.html")
	check(err)
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	check(err)
	_, err = z.Write(html)
	check(err)
	check(z.Close())
	if old, err := os.ReadFile("page.html.gz"); err == nil && bytes.Equal(old, b.Bytes()) {
		return // a build that runs at the same time does not meet half a file
	}
	check(os.WriteFile("page.html.gz", b.Bytes(), 0o644))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
