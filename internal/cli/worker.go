//go:build !js

package cli

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/polydag/polydag/internal/memory"
	"github.com/polydag/polydag/internal/study"
	"github.com/polydag/polydag/internal/work"
	"github.com/polydag/polydag/internal/work/jetstream"
	"github.com/polydag/polydag/internal/work/tables"
)

func (a *app) workerCommand() *cobra.Command {
	w := jetstream.Worker{Jobs: runtime.NumCPU()}
	bytes, most := bytesFlag(1<<30), bytesFlag(0)
	var kinds []string
	cmd := &cobra.Command{
		Use:   "worker --nats-file FILE",
		Short: "Do the work that other machines submit: replicates, runs of studies, parts of tables",
		Long: `Worker takes units of work from a NATS server, one for each of --jobs at a time, and stores what comes out. Start it on as many
machines as there are; it may be started and ended at any time. Ctrl-C hands the units back that are not finished; those of a worker
that dies are given to another after half a minute.

A worker does jobs of its own version and processor type alone, since others would have other last digits, and says which it leaves to
others. It opens no file and no address that a unit names: tables come by their hash, and are checked.`,
		Example: `  polydag worker --nats-file hub-store/address --jobs 4
  polydag hub --store hub-store --listen 127.0.0.1:14222 --for 4s & polydag worker --nats-file hub-store/address --nats-wait 20s --idle 1s`,
		Args: exactArgs(0, "no argument"),
	}
	f := cmd.Flags()
	f.SortFlags = false
	nats := newNATS(f, "address of the server, such as nats://host:4222; one with a token belongs into --nats-file or the variable POLYDAG_NATS")
	f.IntVar(&w.Jobs, "jobs", w.Jobs, "units at the same time, one thread each")
	f.StringVar(&w.Name, "name", "", "what this worker is called in lists (default: host and process)")
	f.Var(&bytes, "max-bytes", "largest table or outcome that is taken")
	f.Var(&most, "max-memory", "refuse units that together would need more memory, such as 2G (default: what the machine has free)")
	f.StringSliceVar(&kinds, "kinds", nil, "kinds of units to do, separated by commas: "+strings.Join(handlers(1, 0).Kinds(), ", ")+" (default all)")
	f.DurationVar(&w.Idle, "idle", 0, "end when there has been nothing to do for so long (default: at Ctrl-C)")
	say := newConsole(f, a.err)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := errors.Join(say.check(), nats.check()); err != nil {
			return err
		}
		if w.Jobs < 1 || w.Idle < 0 {
			return usagef("--jobs wants at least 1 and --idle no negative time")
		}
		if w.MaxMemory = int64(most); most == 0 {
			if free, ok := memory.Available(); ok {
				w.MaxMemory = free
			}
		}
		w.MaxBytes = int64(bytes)
		w.Handlers = handlers(w.Jobs, w.MaxMemory/int64(w.Jobs))
		for _, k := range kinds {
			if _, ok := w.Handlers[k]; !ok {
				return usagef("--kinds %s is unknown; choose of %s", k, strings.Join(w.Handlers.Kinds(), ", "))
			}
		}
		if len(kinds) > 0 {
			for _, k := range w.Handlers.Kinds() {
				if !slices.Contains(kinds, k) {
					delete(w.Handlers, k)
				}
			}
		}
		return a.work(cmd.Context(), nats, w, say)
	}
	return cmd
}

// handlers are the units that a worker can do, each within so many bytes of memory.
func handlers(jobs int, memory int64) work.Handlers {
	return work.Handlers{study.KindRun: study.Handler(jobs, memory), tables.KindMoments: tables.MomentsHandler(memory), tables.KindCounts: tables.CountsHandler(memory), tables.KindReplicate: tables.ReplicateHandler(memory),
		tables.KindWalk: tables.WalkHandler(memory)}
}

func (a *app) work(ctx context.Context, nats *natsFlags, w jetstream.Worker, say *console) error {
	c, err := nats.connect(ctx, say)
	if err != nil {
		return err
	}
	defer c.Close()
	folder, err := tables.NewFolder("")
	if err != nil {
		return err
	}
	remove := func() { _ = folder.Close() } // the next worker removes what is left
	defer a.left.add(remove)()
	defer remove()
	w.Folder = folder.Path()
	say.note(fmt.Sprintf("working for %s: %d at a time; Ctrl-C hands back what is not finished", nats.url.String(), w.Jobs), "server", nats.url.String(), "jobs", w.Jobs)
	w.Tell = func(d jetstream.Done) {
		if d.Err != nil {
			say.warn(fmt.Sprintf("unit %s of job %s: %v", d.Unit, d.Job, d.Err), "unit", d.Unit, "job", d.Job)
			return
		}
		say.detail(fmt.Sprintf("unit %s of job %s in %s", d.Unit, d.Job, time.Duration(d.Seconds*float64(time.Second)).Round(time.Millisecond)), "unit", d.Unit, "job", d.Job, "seconds", d.Seconds)
	}
	if err := c.Work(ctx, w); err != nil && ctx.Err() == nil {
		return err
	}
	return nil
}
