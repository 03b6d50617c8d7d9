package commands

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/polydag/polydag/cluster/jetstream"
	"github.com/polydag/polydag/command"
	"github.com/polydag/polydag/internal/names"
)

// NATS has the flags of a command that connects to a NATS server.
type NATS struct {
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

// NewNATS adds the flags to a command. what describes the purpose of the server.
func NewNATS(f *pflag.FlagSet, what string) *NATS {
	n := &NATS{}
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

// On reports whether a server is given.
func (n *NATS) On() bool { return n.url != "" || n.file != "" }

// read reads the address from --nats-file. It is called at each attempt to connect, because the hub may not
// have written the file yet.
func (n *NATS) read() error {
	if n.file == "" {
		return nil
	}
	text, err := os.ReadFile(n.file)
	if err != nil {
		return fmt.Errorf("cannot read %s: %w; polydag-hub writes the file address in its store", n.file, command.Cause(err))
	}
	if err := n.url.Set(strings.TrimSpace(string(text))); err != nil {
		return fmt.Errorf("%s: %w", n.file, err)
	}
	return nil
}

// Check reports flags that exclude each other.
func (n *NATS) Check() error {
	if n.wait < 0 {
		return command.Usagef("--set nats-wait=%s: want a time that is not negative", n.wait)
	}
	if n.url != "" && n.file != "" {
		return command.Usagef("--nats and --nats-file exclude each other; keep one (POLYDAG_NATS and POLYDAG_NATS_FILE in the environment count as well)")
	}
	if !n.On() {
		for _, f := range []struct{ name, value string }{{"nats-creds", n.conn.Creds}, {"nats-nkey", n.conn.NKey}, {"tls-cert", n.conn.TLSCert}, {"tls-key", n.conn.TLSKey}, {"tls-ca", n.conn.TLSCA}} {
			if f.value != "" {
				return command.Usagef("%s needs a server; add --nats-file FILE or --nats nats://host:4222", command.Spelled(f.name))
			}
		}
	}
	return nil
}

// Connect connects to the server and retries for the time of --set nats-wait.
func (n *NATS) Connect(ctx context.Context, a *command.App) (*jetstream.Client, error) {
	if !n.On() {
		return nil, command.Usagef("no server is given; add --nats-file FILE or --nats nats://host:4222, or start a server with polydag-hub")
	}
	for begun := time.Now(); ; {
		conn := n.conn
		var c *jetstream.Client
		err := n.read()
		if err == nil {
			conn.URL = string(n.url)
			c, err = command.Within(ctx, conn.Where(), "connected to", func() (*jetstream.Client, error) { return jetstream.Connect(ctx, conn) })
		}
		if err == nil {
			c.Warn = func(m string) { a.Warn(m) }
			a.Detail("connected to " + conn.Where())
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

// Where returns the address without a token or password.
func (n *NATS) Where() string { return n.url.String() }

// Submitter returns a runner of units that shows its progress.
func (n *NATS) Submitter(c *jetstream.Client, bar *command.Bar) *jetstream.Submitter {
	return &jetstream.Submitter{Client: c, Progress: func(s jetstream.JobProgress) {
		workers := names.Count(s.Workers, "worker")
		bar.Event([]any{"job", s.Job, "done", s.Done, "units", s.Total, "workers", s.Workers}, "job %s: %d of %d units, %s", s.Job, s.Done, s.Total, workers)
	}}
}
