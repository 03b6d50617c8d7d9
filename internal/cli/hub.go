//go:build !nohub && !js

package cli

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/polydag/polydag/internal/work/hub"
)

func (a *app) hubCommand() *cobra.Command {
	var opt hub.Settings
	var seconds time.Duration
	var noToken bool
	room := bytesFlag(0)
	cmd := &cobra.Command{
		Use:   "hub --store DIR",
		Short: "Start a NATS server for the work of several machines",
		Long: `Hub is a NATS server with JetStream inside polydag, for those who have none: polydag worker, polydag jobs and the commands with --nats
connect to it. What it was told is in --store and there again after a restart.

Only this machine can connect, unless --listen names another address. Clients need a token, which the hub makes and keeps in --store; the
file DIR/address has the address with the token, for --nats-file of the other commands. --token-file, --nkeys and --tls-ca choose other
credentials. Whoever has them can submit work and read outcomes. Three hubs with the same --cluster and the same --token-file keep three
copies of everything and go on when one of them dies.`,
		Example: `  polydag hub --store hub-store --listen 127.0.0.1:0 --for 1s
  polydag hub --store hub-store --listen 127.0.0.1:0 --token-file hub-token --for 1s`,
		Args: exactArgs(0, "no argument"),
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&opt.Store, "store", "", "folder for all that must outlive the process; made where it does not exist")
	f.StringVar(&opt.Listen, "listen", "127.0.0.1:4222", "address to listen at; port 0 takes a free one")
	f.Var(&room, "max-store", "most that is stored, such as 20G (default: three quarters of what the disk has free)")
	f.StringVar(&opt.TokenFile, "token-file", "", "file with the token that clients must have; made where it does not exist (default: token in --store)")
	f.BoolVar(&noToken, "no-token", false, "let in every user of this machine, without a token")
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
		if err := protect(&opt, noToken, say); err != nil {
			return err
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
			address, err := keepAddress(opt, h)
			if err != nil {
				say.warn(err.Error())
				address = "FILE"
			}
			if !say.quiet {
				fmt.Fprintf(a.out, "%s stores in %s; Ctrl-C ends it\nconnect with --nats-file %s\n", h.URL(), opt.Store, address)
			}
		})
		if errors.Is(err, hub.ErrOpen) {
			return usagef("%w: leave --no-token out, or give --token-file, --nkeys or --tls-ca; listen at 127.0.0.1; or say --open if the network is your own", err)
		}
		return err
	}
	return cmd
}

// protect chooses what lets clients in where no flag says so: a token in the folder of the store.
func protect(opt *hub.Settings, noToken bool, say *console) error {
	switch {
	case noToken && opt.TokenFile != "":
		return usagef("--no-token and --token-file exclude each other")
	case noToken, opt.Open && opt.TokenFile == "", opt.NKeys != "" && opt.TokenFile == "", opt.TLSCA != "" && opt.TokenFile == "", opt.Config != "" && opt.TokenFile == "":
		return nil
	case opt.TokenFile != "":
		return makeToken(opt.TokenFile, say)
	case opt.Cluster != "":
		return usagef("the servers of a cluster need the same token: make one file, copy it to each machine and name it with --token-file; or use certificates (--tls-ca)")
	}
	if err := os.MkdirAll(opt.Store, 0o700); err != nil {
		return fmt.Errorf("cannot make %s: %w; check the folder and its permissions", opt.Store, cause(err))
	}
	opt.TokenFile = filepath.Join(opt.Store, "token")
	return makeToken(opt.TokenFile, say)
}

// keepAddress writes the address of the hub, with its token, to a file for --nats-file, and returns the name of the file.
func keepAddress(opt hub.Settings, h *hub.Hub) (string, error) {
	u, err := url.Parse(h.URL())
	if err != nil {
		return "", err
	}
	u.Host = callable(u.Host)
	if opt.TokenFile != "" {
		token, err := readToken(opt.TokenFile)
		if err != nil {
			return "", err
		}
		u.User = url.User(token)
	}
	path := filepath.Join(opt.Store, "address")
	return path, writePrivate(path, u.String()+"\n")
}
