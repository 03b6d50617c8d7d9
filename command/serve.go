//go:build !js

package command

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/polydag/polydag/command/internal/serve"
	"github.com/polydag/polydag/internal/checkpoint"
)

// These limit the connections of visitors.
const (
	maxConnections = 256
	headerTime     = 10 * time.Second
	idleTime       = 15 * time.Second
)

func (a *app) serveCommand() *cobra.Command {
	var listen, token, tokenFile string
	var noToken, noOpen bool
	var waiting int
	var seconds time.Duration
	upload := bytesFlag(256 << 20)
	cmd := &cobra.Command{
		Use:   "serve [DIR]",
		Short: "Browse a folder of results and learn from uploaded tables",
		Long: `Serve shows the results in a folder (default: the current one) in the browser, as the pages of polydag
report. The list updates itself, and users can upload a table to learn from it. Runs with
--progress-file DIR/NAME.progress.json appear while they run. The browser opens by itself, unless
--no-open is given.

Only this machine can connect, unless --listen gives another address. Access needs the token in the
printed address: anyone who has it can read all results in the folder and start runs. --token-file
keeps the same token across restarts.

With --images DIR, pages show the images behind variables, edges and effects. Thumbnails are made when
they are shown, from images in DIR only. Uploaded tables name the images in the column image; for
results that are already in the folder, give their table with --data.`,
		Example: `  polydag serve results --listen 127.0.0.1:0 --set for=2s
  polydag serve results --listen 127.0.0.1:0 --token-file serve-token --set for=2s
  polydag serve . --images scenes --data scenes.csv --listen 127.0.0.1:0 --set for=2s`,
		Args: argsBetween(0, 1, "one folder"),
	}
	f := ordered(cmd)
	f.StringVar(&listen, "listen", "127.0.0.1:8137", "address to listen on; port 0 selects a free port")
	f.StringVar(&tokenFile, "token-file", "", "file with the access token; created if it does not exist (default: a new token at each start)")
	f.StringVar(&token, "token", "auto", "access token; auto creates one; other users can see it in the process list, so --token-file is safer")
	f.BoolVar(&noToken, "no-token", false, "allow all users of this machine, without a token")
	f.BoolVar(&noOpen, "no-open", false, "do not open the browser; by default it opens if a person starts polydag at a terminal with a display")
	f.Var(&upload, "max-upload", "largest accepted table")
	f.IntVar(&waiting, "max-waiting", 8, "maximum number of waiting runs; one runs at a time")
	f.DurationVar(&seconds, "for", 0, "stop after this time (default: at Ctrl-C)")
	images := a.newGallery(f)
	screen := a.screen
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		dir := "."
		if len(args) == 1 {
			dir = args[0]
		}
		token, made, err := visitorToken(token, tokenFile, noToken, screen)
		if err != nil {
			return err
		}
		if err := loopbackOrToken(listen, token); err != nil {
			return err
		}
		if upload < 1 || waiting < 0 || seconds < 0 {
			return usagef("--set max-upload, --set max-waiting and --set for must not be negative, and --set max-upload not 0")
		}
		folder, err := checkpoint.NewFolder("", "serve")
		if err != nil {
			return err
		}
		remove := func() { _ = folder.Close() } // the next server removes what remains
		defer a.left.add(remove)()
		defer remove()
		shown, err := images.open()
		if err != nil {
			return err
		}
		defer shown.close()
		described, err := json.Marshal(wireMethods(a.methods.All()))
		if err != nil {
			return err
		}
		s, err := serve.New(serve.Settings{
			Dir: dir, Token: token, MaxUpload: int64(upload), MaxWaiting: waiting, Memory: a.account,
			CreateTemp: func(_, pattern string) (*os.File, error) { return a.left.createFile(folder.Path(), pattern) },
			Backend:    &backend{app: a, gallery: shown},
			Methods:    a.methods, Described: described,
		})
		if err != nil {
			return err
		}
		defer s.Close()
		defer a.left.add(s.Discard)()
		l, err := net.Listen("tcp", listen)
		if err != nil {
			return fmt.Errorf("cannot listen at %s: %w; choose another --listen", listen, err)
		}
		address := url.URL{Scheme: "http", Host: Callable(l.Addr().String()), Path: "/"}
		if token != "" {
			address.RawQuery = url.Values{"token": {token}}.Encode()
		}
		if !screen.quiet || made { // a new token is shown only here
			fmt.Fprintf(a.out, "%s shows the folder %s; Ctrl-C ends it\n", address.String(), dir)
		}
		if !noOpen && a.out.Terminal() && screen.w.Terminal() {
			openBrowser(address.String())
		}
		ctx := cmd.Context()
		if seconds > 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, seconds)
			defer cancel()
		}
		return listenUntil(ctx, l, s)
	}
	return cmd
}

// visitorToken returns the token for visitors, empty for none, and whether it was created for this start only.
func visitorToken(token, file string, none bool, screen *console) (_ string, made bool, err error) {
	switch {
	case none && (file != "" || token != "auto"), file != "" && token != "auto":
		return "", false, usagef("--token, --token-file and --no-token exclude each other; keep one")
	case none:
		return "", false, nil
	case file != "":
		if err := makeToken(file, screen); err != nil {
			return "", false, err
		}
		token, err = ReadToken(file)
		return token, false, err
	case token == "auto":
		return rand.Text(), true, nil
	case len(token) < leastToken:
		return "", false, usagef("--token has %d characters, want at least %d; leave it out, and a token is made", len(token), leastToken)
	}
	return token, false, nil
}

// loopbackOrToken refuses to listen on a public address without a token.
func loopbackOrToken(listen, token string) error {
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return usagef("--listen %q: want an address and a port such as 127.0.0.1:8137", listen)
	}
	ip := net.ParseIP(host)
	if token == "" && host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return usagef("--listen %s is open to other machines: leave --no-token out, or listen at 127.0.0.1", listen)
	}
	return nil
}

// listenUntil serves until the context ends and then lets open requests finish for a moment.
func listenUntil(ctx context.Context, l net.Listener, h http.Handler) error {
	crowd := &serve.Crowd{Most: maxConnections}
	server := &http.Server{Handler: h, ConnState: crowd.State, ReadHeaderTimeout: headerTime, IdleTimeout: idleTime, MaxHeaderBytes: 32 << 10}
	stop := context.AfterFunc(ctx, func() {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace/2)
		defer cancel()
		if server.Shutdown(end) != nil {
			server.Close()
		}
	})
	defer stop()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
