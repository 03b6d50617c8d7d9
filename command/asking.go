//go:build !js

package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/polydag/polydag/command/internal/ask"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/internal/visible"
)

// askServer asks a language model about undecided edges and writes a knowledge file, also if the run ends early.
func (a *app) askServer(ctx context.Context, who asking, about asked) error {
	server, err := ask.NewServer(who.who, who.model, a.variable(envAskKey), who.timeout)
	if err != nil {
		return err
	}
	pairs, err := undecided(who.descriptions, about)
	if err != nil {
		return err
	}
	if server.Exposed() {
		(&console{w: a.err}).warn(fmt.Sprintf("the key in %s goes to another machine without encryption; use an https address, or unset the variable", envAskKey))
	}
	if who.dry {
		return a.write(ctx, "-", func(w io.Writer) error { return dryRun(w, server, pairs, a.variable(envAskKey) != "") })
	}
	if len(pairs) == 0 {
		fmt.Fprintln(a.out, "Every direction is settled or probable, so there is nothing to ask.")
		return nil
	}
	outcomes, asking := a.outcomes(ctx, server, pairs)
	whole := context.WithoutCancel(ctx)
	if len(outcomes) > 0 {
		asking = errors.Join(asking, a.write(whole, "-", a.folded(outcomesText(server, outcomes, len(pairs)))))
	}
	spec := server.Spec(outcomes)
	if spec.Empty() {
		if asking == nil && !usable(outcomes) {
			asking = fmt.Errorf("the model gave no usable reply: %w", outcomes[0].Err)
		}
		if asking == nil {
			fmt.Fprintln(a.out, "\nNo answer gives a direction: no file was written.")
		}
		return asking
	}
	merged, err := about.known.Merge(spec)
	if err != nil {
		return errors.Join(asking, err)
	}
	if err := a.data(whole, about.output, func(w io.Writer) error { return writeJSON(w, merged) }); err != nil {
		return errors.Join(asking, err)
	}
	visible.Fprintf(a.out, "\nThe answers are in %s.\nNext:  polydag learn %s --knowledge %s\n", about.output, tableOf(about.res), shellWord(about.output))
	if asking == nil {
		return nil
	}
	why := worded(asking)
	if errors.Is(asking, errInterrupted) {
		why = "interrupted"
	}
	return unconverged{fmt.Sprintf("%s; the answers about %d of %s are in %s", why, len(outcomes), plural(len(pairs), "edge"), about.output)}
}

// variable returns the value of an environment variable, or "".
func (a *app) variable(name string) string {
	for _, entry := range a.environ {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}

// undecided returns the pairs of columns to ask about, with their descriptions.
func undecided(file string, about asked) ([]ask.Pair, error) {
	described := map[string]string{}
	if file != "" {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("cannot read %s: %w; check the path and its permissions", file, Cause(err))
		}
		if err := json.Unmarshal(text, &described); err != nil {
			return nil, usagef("%s is not a JSON object of texts: %w; write {\"column\": \"description\"}", file, err)
		}
		known := 0
		for _, name := range about.res.Names {
			if described[name] != "" {
				known++
			}
		}
		if known == 0 {
			return nil, usagef("none of the keys of %s is the name of a column in the result; use the names in its nodes", file)
		}
	}
	var pairs []ask.Pair
	for _, p := range about.dialogue.Undecided() {
		if len(pairs) < about.most {
			pairs = append(pairs, ask.Pair{A: ask.Column{Name: p[0], Description: described[p[0]]}, B: ask.Column{Name: p[1], Description: described[p[1]]}})
		}
	}
	return pairs, nil
}

// dryRun writes the requests about pairs.
func dryRun(w io.Writer, server *ask.Server, pairs []ask.Pair, key bool) error {
	fmt.Fprintf(w, "Nothing was sent. The requests about %s, two each; the second only if the first answer is a direction:\n\n", plural(len(pairs), "undecided edge"))
	fmt.Fprintf(w, "POST %s\nContent-Type: application/json\n", server.Endpoint())
	if key {
		fmt.Fprintf(w, "Authorization: Bearer (the value of %s)\n", envAskKey)
	}
	for _, p := range pairs {
		fmt.Fprintf(w, "\n%s\n%s\n", server.Request(p), server.Request(p.Swapped()))
	}
	return nil
}

// outcomes asks about pairs with a line of progress. The error says why the run ended early.
func (a *app) outcomes(ctx context.Context, server *ask.Server, pairs []ask.Pair) (list []ask.Outcome, err error) {
	observe, stop := newProgress(a.err, false).shares("asking " + server.Name())
	defer stop()
	done := make(chan float64)
	defer close(done)
	go func() { // an answer may take long, so the line is drawn while the server thinks
		tick := time.NewTicker(200 * time.Millisecond)
		defer tick.Stop()
		share, more := 0.0, true
		for more {
			select {
			case share, more = <-done:
			case <-tick.C:
				observe(share)
			}
		}
	}()
	err = server.Ask(ctx, pairs, func(o ask.Outcome) {
		list = append(list, o)
		if _, ok := o.Direction(); ok {
			a.saving.Store(true) // there is an answer to write
		}
		done <- float64(len(list)) / float64(len(pairs))
		a.at(ctx, "progress")
	})
	return list, err
}

// usable reports whether a reply was one of the answers.
func usable(outcomes []ask.Outcome) bool {
	for _, o := range outcomes {
		if o.Err == nil {
			return true
		}
	}
	return false
}

// outcomesText lists the answers about each edge.
func outcomesText(server *ask.Server, outcomes []ask.Outcome, pairs int) string {
	var b strings.Builder
	visible.Fprintf(&b, "Asked %s about %d of %s, with the order swapped for the second answer.\n\n", server.Name(), len(outcomes), plural(pairs, "undecided edge"))
	b.WriteString("  prior  edge: answers\n")
	for _, o := range outcomes {
		prior := "-"
		if _, ok := o.Direction(); ok {
			prior = fmt.Sprint(ask.Probability)
		}
		visible.Fprintf(&b, "  %5s  %s — %s: %s\n", prior, o.Pair.A.Name, o.Pair.B.Name, answersText(o))
	}
	visible.Fprintf(&b, "\nprior: prior probability of the direction if the edge exists. %v is a convention: polydag has not measured how often such answers are right. Published accuracy on pairs of named variables is above 0.9.\n", ask.Probability)
	return b.String()
}

func answersText(o ask.Outcome) string {
	var words []string
	for _, answer := range o.Answers {
		word := string(answer)
		switch answer {
		case ask.Forward:
			word = o.Pair.A.Name + " → " + o.Pair.B.Name
		case ask.Backward:
			word = o.Pair.B.Name + " → " + o.Pair.A.Name
		}
		words = append(words, word)
	}
	if o.Err != nil {
		text := fmt.Sprint(o.Err)
		if e := new(fault.Error); errors.As(o.Err, &e) {
			text = e.Text
		}
		words = append(words, text)
	}
	if _, ok := o.Direction(); ok {
		words = words[:1]
	}
	return strings.Join(words, "; ")
}
