package commands

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

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/cluster/hub"
	"github.com/polydag/polydag/command"
)

// A HubServer runs a server until ctx ends. ready is called with its address at the first start.
type HubServer func(ctx context.Context, opt hub.Settings, ready func(url string)) error

// Hub runs the command line of the program polydag-hub, and returns the exit code. The environment may have the settings of polydag with
// these methods and wings too.
func Hub(ctx context.Context, serve HubServer, methods polydag.MethodList, args []string, in io.Reader, out, errw io.Writer, wings ...command.Wing) int {
	return command.Program(ctx, func(a *command.App) *cobra.Command { return hubCommand(a, serve) }, methods, args, in, out, errw, wings...)
}

// hubCommand is the only command of polydag-hub.
func hubCommand(a *command.App, serve HubServer) *cobra.Command {
	var opt hub.Settings
	var seconds time.Duration
	var noToken bool
	var room int64
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
		Args: command.ExactArgs(0, "no argument"),
	}
	f := command.Ordered(cmd)
	f.StringVar(&opt.Store, "store", "", "directory for the state of the server; created if it does not exist")
	f.StringVar(&opt.Listen, "listen", "127.0.0.1:4222", "address to listen on; port 0 selects a free port")
	command.Bytes(f, &room, "max-store", "storage limit, such as 20G (default: three quarters of the free disk space)")
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
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if opt.Store == "" {
			return command.Usagef("no store directory; add --store DIR")
		}
		if seconds < 0 {
			return command.Usagef("--set for=%s: want a time that is not negative", seconds)
		}
		if err := protect(&opt, noToken, a); err != nil {
			return err
		}
		opt.MaxStore = room
		opt.Log = func(m string) { a.Warn(m) }
		ctx := cmd.Context()
		if seconds > 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, seconds)
			defer cancel()
		}
		err := serve(ctx, opt, func(at string) {
			address, err := keepAddress(opt, at)
			if err != nil {
				a.Warn(err.Error())
				address = "FILE"
			}
			if !a.Quiet() {
				fmt.Fprintf(a.Output(), "%s is running; the store is %s. Press Ctrl-C to stop.\nConnect with: --nats-file %s\n", at, opt.Store, address)
			}
		})
		if errors.Is(err, hub.ErrOpen) {
			return command.Usagef("%w: leave --no-token out, or give --token-file, --set nkeys or --set tls-ca; listen at 127.0.0.1; or say --set open if the network is your own", err)
		}
		return err
	}
	return cmd
}

// protect chooses the authentication of clients if no flag does: a token in the folder of the store.
func protect(opt *hub.Settings, noToken bool, a *command.App) error {
	switch {
	case noToken && opt.TokenFile != "":
		return command.Usagef("--no-token and --token-file exclude each other")
	case noToken, opt.Open && opt.TokenFile == "", opt.NKeys != "" && opt.TokenFile == "", opt.TLSCA != "" && opt.TokenFile == "", opt.Config != "" && opt.TokenFile == "":
		return nil
	case opt.TokenFile != "":
		return a.MakeToken(opt.TokenFile)
	case opt.Cluster != "":
		return command.Usagef("the servers of a cluster need the same token: make one file, copy it to each machine and name it with --token-file; or use certificates (--set tls-ca)")
	}
	if err := os.MkdirAll(opt.Store, 0o700); err != nil {
		return fmt.Errorf("cannot make %s: %w; check the folder and its permissions", opt.Store, command.Cause(err))
	}
	opt.TokenFile = filepath.Join(opt.Store, "token")
	return a.MakeToken(opt.TokenFile)
}

// keepAddress writes the address of the hub, with its token, to a file for --nats-file and returns its name.
func keepAddress(opt hub.Settings, at string) (string, error) {
	u, err := url.Parse(at)
	if err != nil {
		return "", err
	}
	u.Host = command.Callable(u.Host)
	if opt.TokenFile != "" {
		token, err := command.ReadToken(opt.TokenFile)
		if err != nil {
			return "", err
		}
		u.User = url.User(token)
	}
	path := filepath.Join(opt.Store, "address")
	return path, writePrivate(path, u.String()+"\n")
}

// writePrivate writes a text to a file that only its owner can read, and replaces an existing file.
func writePrivate(path, text string) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*") // mode 0600
	if err != nil {
		return command.CannotWrite(path, err)
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		return command.CannotWrite(path, err)
	}
	return nil
}
