package commands

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/cluster/jetstream"
	"github.com/polydag/polydag/cluster/tables"
	"github.com/polydag/polydag/cluster/work"
	"github.com/polydag/polydag/command"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/files"
)

// part adds --nats: workers run the samples and chains of learn and confidence, or read the tables of moments and counts.
func part(t *command.Task) *command.Part {
	what := "let the workers of this NATS server read the tables, such as nats://host:4222"
	learns := t.Command == "learn" || t.Command == "confidence"
	if learns {
		what = "run the samples of --bootstrap or --stability, or the chains of --posterior, on the workers of this NATS server, such as nats://host:4222"
	}
	n := NewNATS(t.Flags, what)
	p := &command.Part{Check: func(_ context.Context, t *command.Task) error {
		if err := n.Check(); err != nil || !n.On() {
			return err
		}
		return spreadable(t, learns)
	}}
	if learns {
		p.Learn = n.learn
		return p
	}
	p.Moments = func(ctx context.Context, t *command.Task, merge func(int, *dataset.Moments) error) (bool, error) {
		return n.spread(ctx, t, func(by work.Runner, parts [][]string, how tables.Reading) error {
			return tables.Moments(ctx, by, fmt.Sprintf("moments of %d tables", len(parts)), parts, how, merge)
		})
	}
	p.Counts = func(ctx context.Context, t *command.Task, merge func(int, *dataset.Counts) error) (bool, error) {
		return n.spread(ctx, t, func(by work.Runner, parts [][]string, how tables.Reading) error {
			return tables.Counts(ctx, by, fmt.Sprintf("counts of %d tables", len(parts)), parts, how, merge)
		})
	}
	return p
}

// spreadable refuses work that other machines cannot do, or inputs that they cannot read.
func spreadable(t *command.Task, learns bool) error {
	stdin := slices.Contains(t.Paths, "-")
	switch {
	case learns && !t.Sampled:
		return command.Usagef("--nats distributes samples or chains; add --bootstrap 200, --stability 200 or --posterior")
	case learns && stdin:
		return command.Usagef("--nats sends the files of the table to the workers; give a file instead of -")
	case stdin:
		return command.Usagef("--nats sends files to the workers; give files instead of -")
	case t.Command == "moments" && t.On("profile"):
		return command.Usagef("--nats cannot be combined with --set profile; leave --set profile out")
	}
	return nil
}

// learn lets the workers of the server, if one is given, run the samples and chains.
func (n *NATS) learn(ctx context.Context, t *command.Task, learn command.Learner) (*polydag.Result, error) {
	if !n.On() {
		return learn(ctx)
	}
	paths, err := files.Parts(t.Paths)
	if err != nil {
		return nil, err
	}
	c, err := n.Connect(ctx, t.App)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	read := tables.NewReading(t.Options, t.Preparation, t.Kinds)
	by, name := &jetstream.Submitter{Client: c}, filepath.Base(paths[0])
	t.Runner = tables.Replicates{Runner: by, Title: "replicates of " + name, Paths: paths, Read: read}
	t.Walker = tables.Chains{Runner: by, Title: "chains of " + name, Paths: paths, Read: read}
	return learn(ctx)
}

// spread connects to the server, if one is given, and calls submit with the runner, the files of each table and the reading settings.
func (n *NATS) spread(ctx context.Context, t *command.Task, submit func(by work.Runner, parts [][]string, how tables.Reading) error) (bool, error) {
	if !n.On() {
		return false, nil
	}
	take := t.Preparation
	take.Profile = false
	how := tables.NewReading(t.Options, take, nil)
	var parts [][]string
	for _, path := range t.Paths {
		list, err := files.Parts([]string{path})
		if err != nil {
			return true, err
		}
		parts = append(parts, list)
	}
	c, err := n.Connect(ctx, t.App)
	if err != nil {
		return true, err
	}
	defer c.Close()
	bar := t.Bar()
	defer bar.Clear()
	return true, submit(n.Submitter(c, bar), parts, how)
}
