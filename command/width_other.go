//go:build !unix

package command

import "os"

// terminalColumns returns the width of a terminal, or 0 if it is unknown.
func terminalColumns(*os.File) int { return 0 }
