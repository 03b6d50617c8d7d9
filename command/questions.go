package command

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/internal/questions"
	"github.com/polydag/polydag/internal/visible"
	"github.com/polydag/polydag/knowledge"
)

// inTerminal is the value of --ask without a server: a person answers.
const inTerminal = "terminal"

// asking are the flags of polydag questions about who answers.
type asking struct {
	who          string // inTerminal, the address of a server, or empty
	model        string
	descriptions string
	timeout      time.Duration
	dry          bool
}

func (k *asking) bind(f *pflag.FlagSet) {
	f.StringVar(&k.who, "ask", "", "ask the questions here, one at a time, or ask the language model of the server at this http or https address; write the answers as a knowledge file")
	f.Lookup("ask").NoOptDefVal = inTerminal
	f.StringVar(&k.model, "ask-model", "", "name of the model, with the address of a server")
	f.DurationVar(&k.timeout, "ask-timeout", time.Minute, "time limit for one answer of the server")
	f.StringVar(&k.descriptions, "descriptions", "", "JSON file with descriptions of columns for the model: {\"age\": \"in years\"}")
	f.BoolVar(&k.dry, "dry-run", false, "print what would be sent to the server and send nothing")
}

// arguments returns the arguments without the address of a server. The value of --ask is optional, so an address after a space is among
// the arguments.
func (k *asking) arguments(args []string) []string {
	at := slices.IndexFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "http://") || strings.HasPrefix(arg, "https://") })
	if k.who != inTerminal || at < 0 {
		return args
	}
	k.who = args[at]
	return slices.Delete(slices.Clone(args), at, at+1)
}

// server reports whether a server is asked.
func (k *asking) server() bool { return k.who != "" && k.who != inTerminal }

func (k *asking) check(args []string, asJSON bool, output string) error {
	switch {
	case len(args) == 2 && k.who != "":
		return usagef("polydag questions takes one result.json; the address of a server begins with http:// or https://, as in --ask http://localhost:11434/v1")
	case len(args) != 1:
		return exactArgs(1, "one result.json, or - for standard input")(&cobra.Command{Use: "questions"}, args)
	case k.who == inTerminal && args[0] == "-":
		return usagef("--ask reads answers from standard input; name the file of the result")
	case k.who != "" && asJSON:
		return usagef("--ask and --json exclude each other; omit one")
	case k.who == "" && output != "":
		return usagef("--output is the file for the answers; add --ask")
	case !k.server() && (k.model != "" || k.descriptions != "" || k.dry):
		return usagef("--set ask-model, --set descriptions and --set dry-run are for the language model of a server; add its address, as in --ask http://localhost:11434/v1")
	case k.server() && k.model == "":
		return usagef("--ask with a server needs the name of a model; add --set ask-model=NAME")
	case k.timeout <= 0:
		return usagef("--set ask-timeout=%s: want a time above 0, such as 90s", k.timeout)
	}
	return nil
}

func (a *app) questionsCommand() *cobra.Command {
	var asJSON bool
	var who asking
	most, output := 5, ""
	cmd := &cobra.Command{
		Use:   "questions RESULT.json",
		Short: "List the questions whose answers would settle most directions of a learned graph",
		Long: `Questions lists what you could tell polydag to settle more directions, the best question first. It
prints the expected reduction of the uncertainty about the directions (bits of entropy), which gives
the order, and the expected number of directions that the answer settles: those of the edges at the
variable, and those that follow by Meek's rules in the equivalence class.

--ask asks the questions one at a time and writes your answers as a knowledge file, which polydag
learn --knowledge uses. "a comes before b" means that a can be a cause of b, and b not of a. Answers
are transitive: a before b and b before c give a before c. Variables whose names suggest that nothing here can change them (sex, age,
region, date) are suggested as roots; polydag never assumes one.

--ask URL --set ask-model=NAME asks a language model instead, at a server with the chat API of OpenAI,
such as Ollama or llama.cpp. It sends the names of two columns and their --set descriptions, and never
rows: one question for each undecided edge, twice with the order swapped. An answer that is the same
both times becomes a prior probability of 0.9 for the direction; every other reply leaves the edge
undirected. How often such answers are right was not measured. The key of the server, if it needs
one, is read from the environment variable POLYDAG_ASK_KEY. --set dry-run prints what would be sent.

docs/guides/prior-knowledge.md explains the file.`,
		Example: `  polydag questions result.json
  polydag questions result.json --ask --output known.json
  polydag questions result.json --ask http://localhost:11434/v1 --set ask-model=qwen3:8b --output known.json`,
		Args: cobra.ArbitraryArgs, // checked with the flags, because an address may be among them
		RunE: func(cmd *cobra.Command, args []string) error {
			args = who.arguments(args)
			if most < 1 {
				return usagef("--set most=%d: want at least 1", most)
			}
			if err := who.check(args, asJSON, output); err != nil {
				return err
			}
			res, err := a.readResult(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			q, known, err := questions.About(res)
			if err != nil {
				return err
			}
			if who.who == "" {
				return a.answer(cmd.Context(), asJSON, questionsSchema, q.List(most), a.folded(questionsText(q.List(most), args[0], res)))
			}
			if output == "" {
				output = "knowledge.json"
			}
			if !who.dry {
				if err := a.outputs(args, []string{output}); err != nil {
					return err
				}
			}
			if who.server() {
				if !cmd.Flags().Changed("most") {
					most = len(res.Edges)
				}
				return a.askServer(cmd.Context(), who, asked{q, known, res, output, most})
			}
			if err := (asker{q, bufio.NewScanner(a.in), a.out}).run(); err != nil {
				return err
			}
			spec, err := known.Merge(q.Spec())
			if err != nil {
				return err
			}
			if spec.Empty() {
				fmt.Fprintln(a.out, "No answer: no file was written.")
				return nil
			}
			if err := a.data(cmd.Context(), output, func(w io.Writer) error { return writeJSON(w, spec) }); err != nil {
				return err
			}
			visible.Fprintf(a.out, "\nYour answers are in %s.\nNext:  polydag learn %s --knowledge %s\n", output, tableOf(res), shellWord(output))
			return nil
		},
	}
	f := ordered(cmd)
	who.bind(f)
	f.StringVarP(&output, "output", "o", "", "knowledge file to write with --ask (default knowledge.json)")
	f.IntVar(&most, "most", most, "maximum number of questions to list, or of edges to ask a server about (default there: all)")
	f.BoolVar(&asJSON, "json", false, "print JSON (schema "+questionsSchema+")")
	return cmd
}

// asked is what a server is asked about, and where its answers go.
type asked struct {
	dialogue *questions.Dialogue
	known    knowledge.Spec // of the result
	res      *polydag.Result
	output   string
	most     int
}

func questionsText(l questions.List, file string, res *polydag.Result) string {
	var b strings.Builder
	if res.Time != nil {
		visible.Fprintf(&b, "Time directs the edges with a lag:\n")
		for _, e := range res.Summary() {
			if len(e.Lags) > 0 {
				visible.Fprintf(&b, "  %s → %s, %s\n", e.From, e.To, e.Label(""))
			}
		}
		b.WriteString("The questions are about edges without a lag.\n\n")
	}
	if l.Edges == 0 {
		return b.String() + "The graph has no edges, so there is no direction to settle.\n"
	}
	visible.Fprintf(&b, "%d of %s not settled by prior knowledge.\n", l.Edges-l.Settled, names.Are(l.Edges, "direction"))
	if len(l.Questions) == 0 {
		return b.String() + "No question would settle another one.\n"
	}
	b.WriteString("\n  bits  settles  question\n")
	for _, c := range l.Questions {
		visible.Fprintf(&b, "  %4.1f  %7.1f  %s\n", c.Gain, c.Settles, c.Text)
		if c.Reason != "" {
			visible.Fprintf(&b, "                 (%s)\n", c.Reason)
		}
	}
	b.WriteString("\nbits: expected reduction of the entropy of all directions, by their probabilities. Each question is the best one about pairs that no question above asks about.\nsettles: expected number of directions that this answer alone settles, directly or by the rules of the equivalence class.\n")
	visible.Fprintf(&b, "\nNext:  polydag questions %s --ask     answer them here\n", shellWord(file))
	if len(l.Roots) > 0 {
		visible.Fprintf(&b, "       polydag learn %s --roots %s     if nothing in the table changes them\n", tableOf(res), shellWord(strings.Join(l.Roots, ",")))
	}
	for _, s := range unsureNames(res, questions.Columns(res)) {
		visible.Fprintf(&b, "       polydag learn %s %s     %s\n", tableOf(res), s.flag, s.why)
	}
	return b.String()
}

// tableOf returns the file of the table of a result, or DATA if it is not here, with the flags that read it in the order of time.
func tableOf(res *polydag.Result) string {
	name := "DATA"
	if _, err := os.Stat(res.Table.Name); err == nil {
		name = shellWord(res.Table.Name)
	}
	return name + timed(res)
}

// timed returns the flags that read the table of a result with lags in the order of time.
func timed(res *polydag.Result) string {
	if res.Time == nil {
		return ""
	}
	out := " --time " + shellWord(res.Time.Column)
	if res.Time.Series != "" {
		out += " --series " + shellWord(res.Time.Series)
	}
	return out
}

// An asker asks questions on a terminal.
type asker struct {
	q   *questions.Dialogue
	in  *bufio.Scanner
	out io.Writer
}

var errEnough = errors.New("no more answers")

func (k asker) run() error {
	fmt.Fprintln(k.out, "a comes before b: a can be a cause of b, and b not of a. Answers are transitive.\nAnswer y (yes), n (no), or ? (don't know) or s (sometimes one, sometimes the other), which settle nothing. q ends.")
	for number := 1; ; number++ {
		c, ok := k.q.Next()
		if !ok {
			fmt.Fprintln(k.out, "\nNo question would settle another direction.")
			return nil
		}
		visible.Fprintf(k.out, "\n%d. %s\n", number, c.Text)
		if c.Reason != "" {
			visible.Fprintf(k.out, "   (%s)\n", c.Reason)
		}
		err := k.one(c)
		if errors.Is(err, errEnough) {
			return nil
		}
		if err != nil {
			return err
		}
		visible.Fprintf(k.out, "   settled: %d of %d directions\n", k.q.Settled(), k.q.Edges())
	}
}

// one asks a question until the answer can be used.
func (k asker) one(c questions.Question) error {
	several := c.Form == questions.AskOrder && len(c.Others) > 1
	if several {
		for i, name := range c.Others {
			visible.Fprintf(k.out, "   %d  %s\n", i+1, name)
		}
		visible.Fprintf(k.out, "   Type the numbers of those that come before %s, or y for all, or n for none. The others come after it.\n   Put ? behind a number if you do not know: 1 3?\n", c.About)
	}
	for {
		fmt.Fprint(k.out, "> ")
		if !k.in.Scan() {
			if err := k.in.Err(); err != nil {
				return fmt.Errorf("cannot read the answer: %w", err)
			}
			fmt.Fprintln(k.out)
			return errEnough
		}
		answer, err := readAnswer(strings.TrimSpace(k.in.Text()), several, len(c.Others))
		if errors.Is(err, errEnough) {
			return err
		}
		if err == nil {
			err = k.q.Answer(c, answer)
		}
		if err == nil {
			return nil
		}
		visible.Fprintf(k.out, "   %s. Answer again, or type ? to leave it open.\n", err)
	}
}

// readAnswer reads a line: a word, or the numbers of the columns that come before.
func readAnswer(line string, several bool, others int) (questions.Answer, error) {
	every := func(p questions.Placement) questions.Answer {
		return questions.Answer{Places: slices.Repeat([]questions.Placement{p}, others)}
	}
	switch strings.ToLower(line) {
	case "q", "quit":
		return questions.Answer{}, errEnough
	case "", "?", "s", "sometimes":
		return every(questions.Unknown), nil
	case "y", "yes", "all":
		a := every(questions.Before)
		a.Yes = true
		return a, nil
	case "n", "no", "none":
		return every(questions.After), nil
	}
	if !several {
		return questions.Answer{}, errors.New("want y, n, ?, s or q")
	}
	answer := every(questions.After)
	for _, word := range strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == ',' }) {
		number, open := strings.CutSuffix(word, "?")
		i, err := strconv.Atoi(number)
		if err != nil || i < 1 || i > others {
			return questions.Answer{}, fmt.Errorf("%q is not a number from 1 to %d", word, others)
		}
		answer.Places[i-1] = questions.Before
		if open {
			answer.Places[i-1] = questions.Unknown
		}
	}
	return answer, nil
}
