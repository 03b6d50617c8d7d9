//go:build !js

package command

import (
	"os"
	"os/exec"
	"runtime"
)

// openBrowser shows an address in the browser of the person at this machine. It does nothing for a session from another machine and
// without a display, and an error is ignored: the address is printed too.
func openBrowser(address string) {
	if line := browserLine(runtime.GOOS, os.Getenv, address); line != nil {
		if cmd := exec.Command(line[0], line[1:]...); cmd.Start() == nil {
			go cmd.Wait()
		}
	}
}

// browserLine is the command line that opens an address, or nil if nobody would see the browser.
func browserLine(system string, env func(string) string, address string) []string {
	switch {
	case env("SSH_CONNECTION") != "" || env("CI") != "":
		return nil
	case system == "darwin":
		return []string{"open", address}
	case system == "windows":
		return []string{"rundll32", "url.dll,FileProtocolHandler", address}
	case env("DISPLAY") != "" || env("WAYLAND_DISPLAY") != "":
		return []string{"xdg-open", address}
	}
	return nil
}
