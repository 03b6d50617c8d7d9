//go:build !unix

package cli

import "os"

// terminalColumns is the width of a terminal, 0 where it is not known.
func terminalColumns(*os.File) int { return 0 }
