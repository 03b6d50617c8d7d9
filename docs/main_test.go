// Package docs_test holds the pages, the README and the code together: it runs the commands of the pages, and checks links, lists, words,
// layers and public packages.
package docs_test

import (
	"fmt"
	"os"
	"testing"
)

// TestMain runs the tests in the root of the module.
func TestMain(m *testing.M) {
	if err := os.Chdir(".."); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}
