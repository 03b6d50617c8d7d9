//go:build !js

package command

import (
	"context"

	"github.com/spf13/pflag"

	"github.com/polydag/polydag/cluster/jetstream"
)

// NATS are the flags of a command that connects to a NATS server.
type NATS struct{ flags *natsFlags }

// NewNATS adds the flags to a command. what describes the purpose of the server.
func NewNATS(f *pflag.FlagSet, what string) *NATS { return &NATS{newNATS(f, what)} }

// On reports whether a server is given.
func (n *NATS) On() bool { return n.flags.on() }

// Check reports flags that exclude each other.
func (n *NATS) Check() error { return n.flags.check() }

// Connect connects to the server and retries for the time of --set nats-wait.
func (n *NATS) Connect(ctx context.Context, a *App) (*jetstream.Client, error) {
	return n.flags.connect(ctx, a.app.screen)
}

// Where returns the address without a token or password.
func (n *NATS) Where() string { return n.flags.url.String() }

// Submitter returns a runner of units that shows its progress.
func (n *NATS) Submitter(c *jetstream.Client, b *Bar) *jetstream.Submitter {
	return n.flags.submitter(c, b.line)
}
