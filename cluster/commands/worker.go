package commands

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/cluster/jetstream"
	"github.com/polydag/polydag/cluster/tables"
	"github.com/polydag/polydag/cluster/work"
	"github.com/polydag/polydag/command"
	"github.com/polydag/polydag/internal/checkpoint"
	"github.com/polydag/polydag/internal/memory"
	"github.com/polydag/polydag/lab/study"
)

func (a *app) workerCommand() *cobra.Command {
	w := jetstream.Worker{Jobs: runtime.NumCPU()}
	w.MaxBytes = 1 << 30
	var kinds []string
	cmd := &cobra.Command{
		Use:   "worker --nats-file FILE",
		Short: "Run work submitted to a NATS server",
		Long: `Worker takes units of work from a NATS server (bootstrap samples, runs of studies, parts of tables),
up to --jobs at a time, and stores the outcomes. Start it on any number of machines, at any time.
Ctrl-C returns unfinished units to the server. The server gives the units of a worker that dies to
another worker after 30 seconds.

A worker only runs jobs of its own version and processor type, because others could differ in the
last digits; it reports the jobs that it skips. It opens no file or address named in a unit: tables
are transferred by their hash and verified.`,
		Example: `  polydag worker --nats-file hub-store/address --jobs 4
  polydag-hub --store hub-store --listen 127.0.0.1:14222 --set for=4s & polydag worker --nats-file hub-store/address --set nats-wait=20s --set idle=1s`,
		Args: command.ExactArgs(0, "no argument"),
	}
	f := command.Ordered(cmd)
	nats := NewNATS(f, "server address, such as nats://host:4222; put an address with a token into --nats-file or POLYDAG_NATS")
	f.IntVar(&w.Jobs, "jobs", w.Jobs, "number of concurrent units, one thread each")
	f.StringVar(&w.Name, "name", "", "name of this worker in lists (default: host and process)")
	command.Bytes(f, &w.MaxBytes, "max-bytes", "largest accepted table or outcome")
	f.DurationVar(&w.MaxTime, "max-time", 24*time.Hour, "time limit for a unit; a unit that takes longer fails; 0 for none")
	f.StringSliceVar(&kinds, "kinds", nil, "kinds of units to run, comma-separated: "+strings.Join(handlers(a.Methods(), 1, 0).Kinds(), ", ")+" (default all)")
	f.DurationVar(&w.Idle, "idle", 0, "stop after this time without work (default: at Ctrl-C)")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := nats.Check(); err != nil {
			return err
		}
		if w.Jobs < 1 || w.Idle < 0 || w.MaxTime < 0 {
			return command.Usagef("--jobs must be at least 1, and --set idle and --set max-time must not be negative")
		}
		w.MaxMemory = a.MemoryLimit()
		w.Handlers = a.accounted(handlers(a.Methods(), w.Jobs, w.MaxMemory/int64(w.Jobs)), w.MaxMemory/int64(w.Jobs))
		for _, k := range kinds {
			if _, ok := w.Handlers[k]; !ok {
				return command.Usagef("--set kinds=%s is unknown; choose from %s", k, strings.Join(w.Handlers.Kinds(), ", "))
			}
		}
		if len(kinds) > 0 {
			for _, k := range w.Handlers.Kinds() {
				if !slices.Contains(kinds, k) {
					delete(w.Handlers, k)
				}
			}
		}
		return a.work(cmd.Context(), nats, w)
	}
	return cmd
}

// handlers returns the units that a worker can process, with these methods and each within the given memory. Runs of studies have the
// methods of this module.
func handlers(methods polydag.MethodList, jobs int, memory int64) work.Handlers {
	return work.Handlers{study.KindRun: study.Handler(jobs, memory), tables.KindMoments: tables.MomentsHandler(memory), tables.KindCounts: tables.CountsHandler(memory), tables.KindReplicate: tables.ReplicateHandler(methods, memory),
		tables.KindWalk: tables.WalkHandler(methods, memory)}
}

// accounted gives each unit a share of the memory. A unit that needs more is left to other workers.
func (a *app) accounted(handlers work.Handlers, share int64) work.Handlers {
	for kind, h := range handlers {
		do := h.Do
		h.Do = func(ctx context.Context, body json.RawMessage, in *work.Inputs) ([]byte, error) {
			ctx, done := a.Share(ctx, share)
			defer done()
			out, err := do(ctx, body, in)
			if cause := context.Cause(ctx); err != nil && errors.Is(cause, memory.ErrLimit) {
				err = cause
			}
			if errors.Is(err, memory.ErrLimit) && !errors.Is(err, work.ErrLimit) {
				err = fmt.Errorf("%w %w", err, work.ErrLimit)
			}
			return out, err
		}
		handlers[kind] = h
	}
	return handlers
}

func (a *app) work(ctx context.Context, nats *NATS, w jetstream.Worker) error {
	c, err := nats.Connect(ctx, a.App)
	if err != nil {
		return err
	}
	defer c.Close()
	folder, err := checkpoint.NewFolder("", tables.WorkerRole)
	if err != nil {
		return err
	}
	store, err := tables.NewStore("")
	remove := func() { // the next worker removes what remains
		_ = folder.Close()
		if store != nil {
			_ = store.Close()
		}
	}
	defer a.Removes(remove)()
	defer remove()
	w.Folder = folder.Path()
	if err == nil {
		w.Store = store.Get
	} else {
		a.Warn(fmt.Sprintf("every worker of this machine fetches its own tables: %v", err))
	}
	a.Note(fmt.Sprintf("connected to %s: up to %d units at a time; Ctrl-C returns unfinished units", nats.Where(), w.Jobs), "server", nats.Where(), "jobs", w.Jobs)
	w.Tell = func(d jetstream.Done) {
		if d.Err != nil {
			a.Warn(fmt.Sprintf("unit %s of job %s: %v", d.Unit, d.Job, d.Err), "unit", d.Unit, "job", d.Job)
			return
		}
		a.Detail(fmt.Sprintf("unit %s of job %s in %s", d.Unit, d.Job, time.Duration(d.Seconds*float64(time.Second)).Round(time.Millisecond)), "unit", d.Unit, "job", d.Job, "seconds", d.Seconds)
	}
	if err := c.Work(ctx, w); err != nil && ctx.Err() == nil {
		return err
	}
	return nil
}
