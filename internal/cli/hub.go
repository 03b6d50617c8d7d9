//go:build !nohub && !js

package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/polydag/polydag/internal/work/hub"
)

func (a *app) hubCommand() *cobra.Command {
	var opt hub.Options
	var seconds time.Duration
	room := bytesFlag(0)
	cmd := &cobra.Command{
		Use:   "hub --store DIR",
		Short: "Start a NATS server for the work of several machines",
		Long: `Hub is a NATS server with JetStream inside polydag, for those who have none: polydag worker, polydag jobs and the commands with --nats
connect to it. What it was told is in --store and there again after a restart.

Only this machine can connect, unless --listen names another address. That needs --token-file, --nkeys or --tls-ca, which say whom to
let in: whoever is let in can submit work and read outcomes. Three hubs with the same --cluster keep three copies of everything and go
on when one of them dies.`,
		Example: `  polydag hub --store hub-store --listen 127.0.0.1:0 --for 1s
  polydag hub --store hub-store --listen 127.0.0.1:0 --token-file hub-token --for 1s`,
		Args: exactArgs(0, "no argument"),
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&opt.Store, "store", "", "folder for all that must outlive the process; made where it does not exist")
	f.StringVar(&opt.Listen, "listen", "127.0.0.1:4222", "address to listen at; port 0 takes a free one")
	f.Var(&room, "max-store", "most that is stored, such as 20G (default: three quarters of what the disk has free)")
	f.StringVar(&opt.TokenFile, "token-file", "", "file with the word that clients must give as nats://WORD@host; where it does not exist, one is made up and written there")
	f.StringVar(&opt.NKeys, "nkeys", "", "file with the public NKeys of those who are let in, one a line")
	f.StringVar(&opt.TLSCert, "tls-cert", "", "file of the server's certificate")
	f.StringVar(&opt.TLSKey, "tls-key", "", "file of its key")
	f.StringVar(&opt.TLSCA, "tls-ca", "", "file of the authority of clients' certificates: only those are let in")
	f.BoolVar(&opt.Open, "open", false, "let anybody in who reaches the address")
	f.StringVar(&opt.Name, "name", "", "name of this server in a cluster")
	f.StringVar(&opt.Cluster, "cluster", "", "name of the cluster, the same at each of its three servers")
	f.StringVar(&opt.ClusterListen, "cluster-listen", "", "address for the other servers of the cluster")
	f.StringArrayVar(&opt.Routes, "route", nil, "host:port where another server of the cluster listens for servers; repeat for each")
	f.StringVar(&opt.Config, "server-config", "", "configuration file of nats-server, for accounts and all that has no flag here")
	f.DurationVar(&seconds, "for", 0, "stop after this time (default: at Ctrl-C)")
	say := newConsole(f, a.err)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := say.check(); err != nil {
			return err
		}
		if opt.Store == "" {
			return usagef("--store is missing: name a folder for what must outlive the process")
		}
		if seconds < 0 {
			return usagef("--for %s: want a time that is not negative", seconds)
		}
		if opt.TokenFile != "" {
			if err := makeToken(opt.TokenFile, say); err != nil {
				return err
			}
		}
		opt.MaxStore = int64(room)
		opt.Log = func(m string) { say.warn(m) }
		ctx := cmd.Context()
		if seconds > 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, seconds)
			defer cancel()
		}
		err := hub.Serve(ctx, opt, func(h *hub.Hub) {
			if !say.quiet {
				fmt.Fprintf(a.out, "%s stores in %s; Ctrl-C ends it\n", h.URL(), opt.Store)
			}
		})
		if errors.Is(err, hub.ErrOpen) {
			return usagef("%w: give --token-file, --nkeys or --tls-ca, listen at 127.0.0.1, or say --open if the network is your own", err)
		}
		return err
	}
	return cmd
}

// makeToken writes a word that nobody can guess to a file that only its owner can read, unless the file is there.
func makeToken(path string, say *console) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot write %s: %w; check the folder and its permissions", path, cause(err))
	}
	if _, err := f.WriteString(rand.Text() + "\n"); err != nil {
		f.Close()
		return cannotWrite(path, err)
	}
	if err := f.Close(); err != nil {
		return cannotWrite(path, err)
	}
	say.note("a token was made up and written to " + path)
	return nil
}
