// Command runtests runs go test with the given arguments and lists what was skipped, by reason.
//
//	go run test/runtests/main.go -vet=off ./...
//
// It prints a line for each package, the output of each test that failed, and at the end every skipped test with its reason. The exit code
// is that of go test.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
)

func main() {
	cmd := exec.Command("go", append([]string{"test"}, flags(os.Args[1:])...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err == nil {
		err = summarize(os.Stdout, out)
		err = cmp.Or(cmd.Wait(), err)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "runtests: go test:", err)
		os.Exit(max(1, cmd.ProcessState.ExitCode()))
	}
}

// flags adds -json, after -C, which go test wants first.
func flags(args []string) []string {
	at := 0
	if len(args) > 1 && args[0] == "-C" {
		at = 2
	}
	return slices.Insert(slices.Clone(args), at, "-json")
}

// An event is a line of go test -json.
type event struct {
	Action, Package, ImportPath, Test, Output string
}

// summarize reads the events of go test and writes what a person wants to know of them.
func summarize(w io.Writer, events io.Reader) error {
	said := map[string]*strings.Builder{} // by package and test, until the test ends
	skipped := map[string][]string{}      // tests by reason
	lines := bufio.NewScanner(events)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil || e.Action == "" {
			fmt.Fprintln(w, lines.Text())
			continue
		}
		key := e.Package + " " + e.Test
		if said[key] == nil {
			said[key] = &strings.Builder{}
		}
		switch text := said[key]; e.Action {
		case "build-output":
			fmt.Fprint(w, e.Output)
		case "output":
			if !strings.HasPrefix(e.Output, "=== ") {
				text.WriteString(e.Output)
			}
		case "skip":
			if e.Test != "" {
				why := reason(text.String())
				skipped[why] = append(skipped[why], e.Package[strings.LastIndexByte(e.Package, '/')+1:]+"."+e.Test)
			}
			delete(said, key)
		case "pass", "fail":
			if e.Action == "fail" || e.Test == "" {
				fmt.Fprint(w, strings.TrimPrefix(text.String(), "PASS\n"))
			}
			delete(said, key)
			if e.Action == "fail" && e.Test == "" { // tests that were running when the program ended
				for _, key := range slices.Sorted(maps.Keys(said)) {
					if strings.HasPrefix(key, e.Package+" ") {
						fmt.Fprint(w, said[key])
						delete(said, key)
					}
				}
			}
		}
	}
	list(w, skipped)
	return lines.Err()
}

// reason returns the message of a skipped test without the file and line, from output such as
//
//	    x_test.go:12: no dot on the PATH
//	--- SKIP: TestX (0.00s)
func reason(output string) string {
	before, _, _ := strings.Cut(output, "--- SKIP")
	if _, message, ok := strings.Cut(before, ".go:"); ok {
		_, before, _ = strings.Cut(message, ": ")
	}
	return cmp.Or(strings.Join(strings.Fields(before), " "), "no reason given")
}

// list writes the skipped tests under their reasons. Reasons with the most tests come last.
func list(w io.Writer, skipped map[string][]string) {
	reasons := slices.Sorted(maps.Keys(skipped))
	slices.SortStableFunc(reasons, func(a, b string) int { return len(skipped[a]) - len(skipped[b]) })
	for i, why := range reasons {
		if i == 0 {
			fmt.Fprintln(w, "\nSkipped tests, by reason:")
		}
		fmt.Fprintf(w, "  %s\n      %s\n", why, strings.Join(skipped[why], " "))
	}
}
