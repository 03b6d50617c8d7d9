//go:build !js

package command

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/polydag/polydag/cluster/jetstream"
	"github.com/polydag/polydag/cluster/tables"
	"github.com/polydag/polydag/cluster/work"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/internal/analysis"
)

// natsFlags are the flags of a command that connects to a NATS server.
type natsFlags struct {
	conn jetstream.Connection
	url  natsURL
	file string // file with the address
	wait time.Duration
}

// natsURL is an address that may contain a token or a password. It is never printed with them.
type natsURL string

func (u *natsURL) Type() string { return "string" }

func (u *natsURL) Set(s string) error {
	for part := range strings.SplitSeq(s, ",") {
		if part = strings.TrimSpace(part); !strings.Contains(part, "://") {
			part = "nats://" + part
		}
		if p, err := url.Parse(part); err != nil || p.Host == "" {
			return errors.New("want an address such as nats://host:4222, or several with commas between them")
		}
	}
	*u = natsURL(s)
	return nil
}

func (u *natsURL) String() string {
	if *u == "" {
		return ""
	}
	return (&jetstream.Connection{URL: string(*u)}).Where()
}

// newNATS adds the flags. what describes the purpose of the server.
func newNATS(f *pflag.FlagSet, what string) *natsFlags {
	n := &natsFlags{}
	f.Var(&n.url, "nats", what)
	f.StringVar(&n.file, "nats-file", "", "NATS: file with the server address and token (nats://TOKEN@host:4222); polydag-hub writes STORE/address")
	f.StringVar(&n.conn.Creds, "nats-creds", "", "NATS: credentials file, as written by nsc")
	f.StringVar(&n.conn.NKey, "nats-nkey", "", "NATS: file with the NKey seed")
	f.StringVar(&n.conn.TLSCert, "tls-cert", "", "NATS: client certificate file")
	f.StringVar(&n.conn.TLSKey, "tls-key", "", "NATS: client key file")
	f.StringVar(&n.conn.TLSCA, "tls-ca", "", "NATS: file with the certificate authority of the server")
	f.DurationVar(&n.wait, "nats-wait", 0, "NATS: keep trying to connect for this long, such as 20s")
	return n
}

// spreadHelp is the help of --nats for commands with bootstrap samples or chains.
const spreadHelp = "run the samples of --bootstrap or --stability, or the chains of --posterior, on the workers of this NATS server, such as nats://host:4222"

func (n *natsFlags) on() bool { return n.url != "" || n.file != "" }

// read reads the address from --nats-file. It is called at each attempt to connect, because the hub may not
// have written the file yet.
func (n *natsFlags) read() error {
	if n.file == "" {
		return nil
	}
	text, err := os.ReadFile(n.file)
	if err != nil {
		return fmt.Errorf("cannot read %s: %w; polydag-hub writes the file address in its store", n.file, cause(err))
	}
	if err := n.url.Set(strings.TrimSpace(string(text))); err != nil {
		return fmt.Errorf("%s: %w", n.file, err)
	}
	return nil
}

func (n *natsFlags) check() error {
	if n.wait < 0 {
		return usagef("--set nats-wait=%s: want a time that is not negative", n.wait)
	}
	if n.url != "" && n.file != "" {
		return usagef("--nats and --nats-file exclude each other; keep one (POLYDAG_NATS and POLYDAG_NATS_FILE in the environment count as well)")
	}
	if !n.on() {
		for _, f := range []struct{ name, value string }{{"nats-creds", n.conn.Creds}, {"nats-nkey", n.conn.NKey}, {"tls-cert", n.conn.TLSCert}, {"tls-key", n.conn.TLSKey}, {"tls-ca", n.conn.TLSCA}} {
			if f.value != "" {
				return usagef("%s needs a server; add --nats-file FILE or --nats nats://host:4222", spelled(f.name))
			}
		}
	}
	return nil
}

// connect connects to the server and retries for the time of --set nats-wait.
func (n *natsFlags) connect(ctx context.Context, screen *console) (*jetstream.Client, error) {
	if !n.on() {
		return nil, usagef("no server is given; add --nats-file FILE or --nats nats://host:4222, or start a server with polydag-hub")
	}
	for begun := time.Now(); ; {
		conn := n.conn
		var c *jetstream.Client
		err := n.read()
		if err == nil {
			conn.URL = string(n.url)
			c, err = within(ctx, conn.Where(), "connected to", func() (*jetstream.Client, error) { return jetstream.Connect(ctx, conn) })
		}
		if err == nil {
			c.Warn = func(m string) { screen.warn(m) }
			screen.detail("connected to " + conn.Where())
			return c, nil
		}
		if ctx.Err() != nil || errors.Is(err, jetstream.ErrRefused) || time.Since(begun) >= n.wait {
			return nil, err
		}
		select {
		case <-time.After(250 * time.Millisecond):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// spreadable refuses work that other machines cannot do, or inputs that they cannot read.
func spreadable(n *natsFlags, r *resampling, args []string) error {
	switch {
	case !n.on():
		return nil
	case !r.on():
		return usagef("--nats distributes samples or chains; add --bootstrap 200, --stability 200 or --posterior")
	case slices.Contains(args, "-"):
		return usagef("--nats sends the files of the table to the workers; give a file instead of -")
	}
	return nil
}

// others lets the workers of the server, if one is given, run the samples and chains. leave closes the connection.
func others(ctx context.Context, n *natsFlags, in *reading, paths []string, conf *analysis.Confidence) (leave func(), err error) {
	if !n.on() {
		return func() {}, nil
	}
	c, err := n.connect(ctx, in.screen)
	if err != nil {
		return nil, err
	}
	read := tables.NewReading(in.options, in.take, in.kinds)
	by, name := &jetstream.Submitter{Client: c}, filepath.Base(paths[0])
	conf.Runner = tables.Replicates{Runner: by, Title: "replicates of " + name, Paths: paths, Read: read}
	conf.Walker = tables.Chains{Runner: by, Title: "chains of " + name, Paths: paths, Read: read}
	return c.Close, nil
}

func (n *natsFlags) submitter(c *jetstream.Client, bar *progress) *jetstream.Submitter {
	return &jetstream.Submitter{Client: c, Progress: bar.units}
}

func (p *progress) units(s jetstream.JobProgress) {
	if !p.due() {
		return
	}
	workers := plural(s.Workers, "worker")
	if p.log != nil {
		p.log.Debug("progress", "job", s.Job, "done", s.Done, "units", s.Total, "workers", s.Workers)
		return
	}
	p.draw("job %s: %d of %d units, %s", s.Job, s.Done, s.Total, workers)
}

// spreadMoments lets workers read the tables, one unit per table, and passes the moments to merge in the order
// of the tables.
func (a *app) spreadMoments(ctx context.Context, nats *natsFlags, read *reading, args []string, merge func(int, *dataset.Moments) error) error {
	if read.take.Profile {
		return usagef("--nats cannot be combined with --set profile; leave --set profile out")
	}
	return a.spread(ctx, nats, read, args, func(by work.Runner, parts [][]string, how tables.Reading) error {
		return tables.Moments(ctx, by, fmt.Sprintf("moments of %d tables", len(parts)), parts, how, merge)
	})
}

// spreadCounts is spreadMoments for counts.
func (a *app) spreadCounts(ctx context.Context, nats *natsFlags, read *reading, args []string, merge func(int, *dataset.Counts) error) error {
	return a.spread(ctx, nats, read, args, func(by work.Runner, parts [][]string, how tables.Reading) error {
		return tables.Counts(ctx, by, fmt.Sprintf("counts of %d tables", len(parts)), parts, how, merge)
	})
}

// spread connects to the server and calls submit with the runner, the files of each table and the reading
// settings.
func (a *app) spread(ctx context.Context, nats *natsFlags, read *reading, args []string, submit func(by work.Runner, parts [][]string, how tables.Reading) error) error {
	if slices.Contains(args, "-") {
		return usagef("--nats sends files to the workers; give files instead of -")
	}
	take := read.take
	take.Profile = false
	how := tables.NewReading(read.options, take, nil)
	var parts [][]string
	for _, arg := range args {
		list, err := files.Parts([]string{arg})
		if err != nil {
			return err
		}
		parts = append(parts, list)
	}
	c, err := nats.connect(ctx, read.screen)
	if err != nil {
		return err
	}
	defer c.Close()
	bar := read.screen.bar()
	defer bar.clear()
	return submit(nats.submitter(c, bar), parts, how)
}
