// Command mutate asks what the tests of a package would notice. It changes the package in one place at a time, runs its tests,
// and prints the changes with which they still pass:
//
//	go run ./internal/mutate -limit 100 -seed 1 ./solve ./score
//
// The working tree is not touched: every change reaches the compiler as an overlay. The same seed and limit try the same
// changes. A survivor is a missing test, code that nobody needs, or a change that cannot be seen from outside; that
// is for the reader to say.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"
)

// settings are the flags.
type settings struct {
	seed    uint64
	limit   int
	files   string
	run     string
	tests   string
	timeout time.Duration
	memory  int
}

func main() {
	var s settings
	flag.Uint64Var(&s.seed, "seed", 1, "seed of the sample")
	flag.IntVar(&s.limit, "limit", 0, "changes to try in each package, a sample of all; 0 for all")
	flag.StringVar(&s.files, "files", "*.go", "files to change, as a pattern for their names")
	flag.StringVar(&s.run, "run", "", "tests to run, as go test -run has it; empty for all")
	flag.StringVar(&s.tests, "tests", "", "packages whose tests to run, with commas between; empty for the package that is changed")
	flag.DurationVar(&s.timeout, "timeout", time.Minute, "longest time for one run of the tests; a change with which they take longer counts as noticed")
	flag.IntVar(&s.memory, "memory", 6, "GiB of address space that the tests may take (not on Windows); 0 for no limit")
	flag.Usage = func() {
		fmt.Fprintf(flag.CommandLine.Output(), "usage: mutate [flags] PACKAGE...\n")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() == 0 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	for _, pkg := range flag.Args() {
		if _, err := mutate(ctx, os.Stdout, pkg, s); err != nil {
			fmt.Fprintln(os.Stderr, "mutate:", err)
			os.Exit(1)
		}
	}
}

// count is what became of the changes of one package.
type count struct{ tried, survived, noticed, slow, uncompiled int }

// mutate tries the changes of one package and prints the survivors as it finds them.
func mutate(ctx context.Context, out io.Writer, pkg string, s settings) (count, error) {
	var n count
	p, err := load(ctx, pkg)
	if err != nil {
		return n, err
	}
	t := tester{settings: s, packages: []*loaded{p}}
	if s.tests != "" {
		t.packages = nil
		for _, name := range strings.Split(s.tests, ",") {
			other, err := load(ctx, name)
			if err != nil {
				return n, err
			}
			t.packages = append(t.packages, other)
		}
	}
	if r, output, err := t.try(ctx, nil); err != nil || r != survived {
		return n, fmt.Errorf("the tests of %s do not pass unchanged: %v\n%s", pkg, err, output)
	}
	var all []mutant
	for _, name := range p.files {
		if match, err := filepath.Match(s.files, filepath.Base(name)); err != nil || !match {
			if err != nil {
				return n, err
			}
			continue
		}
		src, err := os.ReadFile(name)
		if err != nil {
			return n, err
		}
		found, err := mutants(name, src)
		if err != nil {
			return n, err
		}
		all = append(all, found...)
	}
	total := len(all)
	if s.limit > 0 && s.limit < total {
		rng := rand.New(rand.NewPCG(s.seed, 0x3a7e))
		rng.Shuffle(total, func(i, j int) { all[i], all[j] = all[j], all[i] })
		all = all[:s.limit]
	}
	for _, m := range all {
		r, _, err := t.try(ctx, &m)
		if err != nil {
			return n, err
		}
		n.tried++
		switch r {
		case survived:
			n.survived++
			fmt.Fprintf(out, "%s/%s:%d:%d: %s\n", pkg, filepath.Base(m.file), m.pos.Line, m.pos.Column, m.what)
		case noticed:
			n.noticed++
		case slow:
			n.slow++
		case uncompiled:
			n.uncompiled++
		}
	}
	fmt.Fprintf(out, "%s: %d of %d changes tried: %d survived, %d noticed, %d too slow, %d did not compile\n",
		pkg, n.tried, total, n.survived, n.noticed, n.slow, n.uncompiled)
	return n, nil
}
