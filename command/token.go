//go:build !js

package command

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strings"
)

// leastToken is the minimum length of a token.
const leastToken = 16

// MakeToken writes a random token to a file that only its owner can read, unless the file exists.
func (a *App) MakeToken(path string) error { return makeToken(path, a.screen) }

// makeToken writes a random token to a file that only its owner can read, unless the file exists.
func makeToken(path string, screen *console) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot write %s: %w; check the folder and its permissions", path, Cause(err))
	}
	if _, err := f.WriteString(rand.Text() + "\n"); err != nil {
		f.Close()
		return cannotWrite(path, err)
	}
	if err := f.Close(); err != nil {
		return cannotWrite(path, err)
	}
	screen.note("a token was made and written to " + path)
	return nil
}

// ReadToken returns the token in a file.
func ReadToken(path string) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("cannot read %s: %w; check the path and its permissions", path, Cause(err))
	}
	token := strings.TrimSpace(string(text))
	if len(token) < leastToken {
		return "", fmt.Errorf("%s has a token of %d characters, want at least %d; remove the file, and a new token is made", path, len(token), leastToken)
	}
	return token, nil
}

// Callable replaces an unspecified host by the name of this machine.
func Callable(address string) string {
	host, port, err := net.SplitHostPort(address)
	if err != nil || !net.ParseIP(host).IsUnspecified() {
		return address
	}
	name, err := os.Hostname()
	if err != nil {
		return address
	}
	return net.JoinHostPort(name, port)
}
