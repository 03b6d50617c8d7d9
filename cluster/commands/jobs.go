package commands

import (
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/polydag/polydag/cluster/jetstream"
	"github.com/polydag/polydag/command"
	"github.com/polydag/polydag/internal/visible"
)

// jobsSchema is the schema of polydag jobs --json.
const jobsSchema = "polydag.jobs/1"

// documents lists the kinds of JSON whose schemas are made from types.
var documents = []command.Document{{File: "jobs", Version: jobsSchema, Title: "What polydag jobs --json prints: the jobs and workers of a NATS server.", Type: reflect.TypeFor[jetstream.Listing]()}}

func (a *app) jobsCommand() *cobra.Command {
	var asJSON bool
	var remove []string
	cmd := &cobra.Command{
		Use:   "jobs --nats-file FILE",
		Short: "Show the jobs and workers of a NATS server",
		Long: `Jobs lists the jobs on a NATS server with the number of finished, running and waiting units, the
workers and their load, and failed units with their error messages. The server keeps outcomes for two
weeks or until --set delete; submitting the same job again reuses them.`,
		Example: `  polydag jobs --nats-file hub-store/address
  polydag-hub --store hub-store --listen 127.0.0.1:14223 --set for=4s & polydag jobs --nats-file hub-store/address --set nats-wait=20s --json`,
		Args: command.ExactArgs(0, "no argument"),
	}
	f := command.Ordered(cmd)
	nats := NewNATS(f, "server address, such as nats://host:4222")
	f.BoolVar(&asJSON, "json", false, "print JSON (schema "+jobsSchema+")")
	f.StringArrayVar(&remove, "delete", nil, "first delete this job and its outcomes; repeatable")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := nats.Check(); err != nil {
			return err
		}
		c, err := nats.Connect(cmd.Context(), a.App)
		if err != nil {
			return err
		}
		defer c.Close()
		for _, id := range remove {
			if err := c.Delete(cmd.Context(), id); err != nil {
				return err
			}
		}
		list, err := c.List(cmd.Context())
		if err != nil {
			return err
		}
		return a.Answer(cmd.Context(), asJSON, jobsSchema, list, func(w io.Writer) error { return writeJobs(w, list) })
	}
	return cmd
}

func writeJobs(out io.Writer, list *jetstream.Listing) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	if len(list.Jobs) == 0 {
		fmt.Fprintln(w, "no jobs")
	} else {
		fmt.Fprintln(w, "JOB\tUNITS\tDONE\tRUNNING\tWAITING\tFAILED\tDESCRIPTION")
	}
	for _, j := range list.Jobs {
		aside := 0
		for _, t := range j.Trouble {
			if t.Aside != "" {
				aside++
			}
		}
		what := oneLine(j.Title)
		if j.Done {
			what += " (collected)"
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%s\n", j.ID, j.Units, j.Outcomes, j.Running, j.Waiting, aside, what)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(out)
	if len(list.Workers) == 0 {
		fmt.Fprintln(out, "no workers")
	} else {
		fmt.Fprintln(w, "WORKER\tSLOTS\tRUNNING\tDONE\tFAILED\tPROGRAM")
	}
	for _, p := range list.Workers {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%s\n", oneLine(p.Name), p.Jobs, len(p.Running), p.Done, p.Failed, oneLine(p.Door.String()))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, p := range list.Workers {
		for _, r := range p.Refuses {
			fmt.Fprintf(out, "\nworker %s refuses job %s: %s\n", oneLine(p.Name), oneLine(r.Job), oneLine(r.Why))
		}
	}
	for _, j := range list.Jobs {
		for _, t := range j.Trouble {
			state := "will be retried"
			switch {
			case t.Aside != "":
				state = "failed: " + oneLine(t.Aside)
			case len(t.Errors) == 0:
				state = "waits for a worker with higher limits (--set max-bytes, --max-memory)"
			}
			fmt.Fprintf(out, "\nunit %s of job %s %s\n", t.Unit, t.Job, state)
			for _, e := range slices.Concat(t.Errors, t.Declined) {
				fmt.Fprintf(out, "  %s: %s\n", oneLine(e.Worker), oneLine(e.Text))
			}
		}
	}
	return nil
}

// oneLine returns the first line of a text from another machine, as it is shown.
func oneLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return visible.Name(s)
}
