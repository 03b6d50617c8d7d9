package jetstream

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/polydag/polydag/internal/gemm"
)

// A Door identifies everything in the program and the processor that determines the bytes of an outcome besides
// the unit. A worker does only units of submitters with the same Door.
type Door struct {
	Version string `json:"version"`          // version of the module, after its path if it is not polydag itself
	Commit  string `json:"commit,omitempty"` // commit of the source, if known
	Build   string `json:"build,omitempty"`  // hash of the executable if the commit does not identify the source
	Arch    string `json:"arch"`
	Kernel  string `json:"kernel"` // kernel of the matrix product; others differ in the last bit
}

// String describes the program.
func (d Door) String() string {
	text := "polydag " + d.Version
	if d.Commit != "" {
		text += fmt.Sprintf(" (commit %.12s)", d.Commit)
	}
	if d.Build != "" {
		text += fmt.Sprintf(" (build %s)", d.Build)
	}
	return text + " on " + d.Arch + " with " + d.Kernel
}

// ThisDoor returns the Door of the running program.
func ThisDoor() Door { return thisDoor() }

var thisDoor = sync.OnceValue(func() Door {
	d := Door{Version: "(devel)", Arch: runtime.GOARCH, Kernel: gemm.Active().String()}
	exact := false
	if info, ok := debug.ReadBuildInfo(); ok {
		if info.Main.Version != "" {
			d.Version = info.Main.Version
		}
		changed := false
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				d.Commit = s.Value
			case "vcs.modified":
				changed = s.Value == "true"
			}
		}
		exact = d.Commit != "" && !changed || strings.HasPrefix(d.Version, "v") && !strings.Contains(d.Version, "+dirty")
		if info.Main.Path != "" && info.Main.Path != "github.com/polydag/polydag" { // another program, such as one with methods of its own
			d.Version = info.Main.Path + "@" + d.Version
		}
	}
	if !exact {
		d.Build = programHash()
	}
	return d
})

func programHash() string {
	path, _ := os.Executable() // without a path the file cannot be opened
	f, err := os.Open(path)
	if err != nil {
		return "unknown"
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "unknown"
	}
	return hex.EncodeToString(h.Sum(nil)[:6])
}
