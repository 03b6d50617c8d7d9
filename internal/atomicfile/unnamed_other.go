//go:build !linux

package atomicfile

import "os"

// unnamed returns nil: only Linux gives a name to a file that has none.
func unnamed(string) *os.File { return nil }

func (f file) link(string) (string, error) { return f.Name(), nil }
