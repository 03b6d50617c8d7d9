//go:build !js

package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/polydag/polydag/cluster/hub"
	"github.com/polydag/polydag/lab"
)

// A HubServer runs a server until ctx ends. ready is called with its address at the first start.
type HubServer func(ctx context.Context, opt hub.Settings, ready func(url string)) error

// Hub runs the command line of the program polydag-hub, and returns the exit code. more are the commands of polydag besides those of the
// core: the environment may have their settings too.
func Hub(ctx context.Context, serve HubServer, args []string, in io.Reader, out, errw io.Writer, more ...Commands) int {
	a := newApp(nil, in, out, errw, more...)
	a.other = func() *cobra.Command { return a.hubRoot(serve) }
	return a.main(ctx, args)
}

// HubTree returns the command of polydag-hub, for its manual page and the list of commands.
func HubTree() *cobra.Command {
	a := newApp(nil, nil, io.Discard, io.Discard)
	return a.hubRoot(nil)
}

// everySetting returns the settings of a program and of the others: the environment may have those of all.
func (a *app) everySetting(root *cobra.Command) []string {
	if a.other != nil {
		return append(everySetting(root), everySetting(Tree(lab.All, a.more...))...)
	}
	return append(everySetting(root), everySetting(HubTree())...)
}

// hubRoot is the only command of polydag-hub.
func (a *app) hubRoot(serve HubServer) *cobra.Command {
	root := a.hubCommand(serve)
	a.equip(root)
	addHelpAll(root)
	return root
}

func (a *app) hubCommand(serve HubServer) *cobra.Command {
	var opt hub.Settings
	var seconds time.Duration
	var noToken bool
	room := bytesFlag(0)
	cmd := &cobra.Command{
		Use:   "polydag-hub --store DIR",
		Short: "Start a NATS server to distribute work over several machines",
		Long: `polydag-hub runs a NATS server with JetStream. polydag worker, polydag jobs and all commands with
--nats connect to it. It stores its state in --store and restores it after a restart.

Only this machine can connect, unless --listen gives another address. Clients need a token, which the
hub creates in --store. The file DIR/address contains the address and the token, for --nats-file of
the other commands. --token-file, --set nkeys and --set tls-ca set other credentials. Anyone who has them
can submit work and read outcomes.

Three hubs with the same --set cluster and --token-file replicate the state and continue if one fails.`,
		Example: `  polydag-hub --store hub-store --listen 127.0.0.1:0 --set for=1s
  polydag-hub --store hub-store --listen 127.0.0.1:0 --token-file hub-token --set for=1s`,
		Args: exactArgs(0, "no argument"),
	}
	f := ordered(cmd)
	f.StringVar(&opt.Store, "store", "", "directory for the state of the server; created if it does not exist")
	f.StringVar(&opt.Listen, "listen", "127.0.0.1:4222", "address to listen on; port 0 selects a free port")
	f.Var(&room, "max-store", "storage limit, such as 20G (default: three quarters of the free disk space)")
	f.StringVar(&opt.TokenFile, "token-file", "", "file with the client token; created if it does not exist (default: token in --store)")
	f.BoolVar(&noToken, "no-token", false, "allow all users of this machine, without a token")
	f.StringVar(&opt.NKeys, "nkeys", "", "file with the public NKeys of allowed clients, one per line")
	f.StringVar(&opt.TLSCert, "tls-cert", "", "server certificate file")
	f.StringVar(&opt.TLSKey, "tls-key", "", "server key file")
	f.StringVar(&opt.TLSCA, "tls-ca", "", "file with the certificate authority of clients; only their certificates are accepted")
	f.BoolVar(&opt.Open, "open", false, "allow anyone who can reach the address")
	f.StringVar(&opt.Name, "name", "", "name of this server in a cluster")
	f.StringVar(&opt.Cluster, "cluster", "", "name of the cluster, the same on each of its three servers")
	f.StringVar(&opt.ClusterListen, "cluster-listen", "", "address for the other servers of the cluster")
	f.StringArrayVar(&opt.Routes, "route", nil, "host:port on which another server of the cluster listens for servers; repeatable")
	f.StringVar(&opt.Config, "server-config", "", "configuration file of nats-server, for accounts and options without a flag here")
	f.DurationVar(&seconds, "for", 0, "stop after this time (default: at Ctrl-C)")
	screen := a.screen
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if opt.Store == "" {
			return usagef("no store directory; add --store DIR")
		}
		if seconds < 0 {
			return usagef("--set for=%s: want a time that is not negative", seconds)
		}
		if err := protect(&opt, noToken, screen); err != nil {
			return err
		}
		opt.MaxStore = int64(room)
		opt.Log = func(m string) { screen.warn(m) }
		ctx := cmd.Context()
		if seconds > 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, seconds)
			defer cancel()
		}
		err := serve(ctx, opt, func(at string) {
			address, err := keepAddress(opt, at)
			if err != nil {
				screen.warn(err.Error())
				address = "FILE"
			}
			if !screen.quiet {
				fmt.Fprintf(a.out, "%s is running; the store is %s. Press Ctrl-C to stop.\nConnect with: --nats-file %s\n", at, opt.Store, address)
			}
		})
		if errors.Is(err, hub.ErrOpen) {
			return usagef("%w: leave --no-token out, or give --token-file, --set nkeys or --set tls-ca; listen at 127.0.0.1; or say --set open if the network is your own", err)
		}
		return err
	}
	return cmd
}

// protect chooses the authentication of clients if no flag does: a token in the folder of the store.
func protect(opt *hub.Settings, noToken bool, screen *console) error {
	switch {
	case noToken && opt.TokenFile != "":
		return usagef("--no-token and --token-file exclude each other")
	case noToken, opt.Open && opt.TokenFile == "", opt.NKeys != "" && opt.TokenFile == "", opt.TLSCA != "" && opt.TokenFile == "", opt.Config != "" && opt.TokenFile == "":
		return nil
	case opt.TokenFile != "":
		return makeToken(opt.TokenFile, screen)
	case opt.Cluster != "":
		return usagef("the servers of a cluster need the same token: make one file, copy it to each machine and name it with --token-file; or use certificates (--set tls-ca)")
	}
	if err := os.MkdirAll(opt.Store, 0o700); err != nil {
		return fmt.Errorf("cannot make %s: %w; check the folder and its permissions", opt.Store, cause(err))
	}
	opt.TokenFile = filepath.Join(opt.Store, "token")
	return makeToken(opt.TokenFile, screen)
}

// keepAddress writes the address of the hub, with its token, to a file for --nats-file and returns its name.
func keepAddress(opt hub.Settings, at string) (string, error) {
	u, err := url.Parse(at)
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
