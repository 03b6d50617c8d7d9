package jetstream

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	js "github.com/nats-io/nats.go/jetstream"
)

// A Connection defines the address of the server and the credentials. Credentials are in the files that other
// NATS programs use, or in the address. No error or message repeats them.
type Connection struct {
	URL   string // nats://host:4222, several separated by commas; nats://token@host or nats://user:password@host
	Name  string // name of this client in the lists of the server
	Creds string // file with a user's JWT and seed
	NKey  string // file with the seed of an NKey

	TLSCert, TLSKey string // files of this client's certificate and key
	TLSCA           string // file of the authority of the server's certificate

	// Door identifies the submitting program; the zero value is this one. Tests set it.
	Door Door
	// InProcess is a server in the same process, which needs no address, or nil.
	InProcess nats.InProcessConnProvider
	// Timing is for tests; the zero value is the default.
	Timing Timing
}

// Timing holds the timeouts. They change when something happens, but not the results.
type Timing struct {
	Ack       time.Duration // a unit without a heartbeat for this time is given to another worker
	Presence  time.Duration // a worker without a message for this time is gone
	Audit     time.Duration // interval of a submitter's checks for lost units
	NoWorker  time.Duration // time that a submitter waits before it reports that there is no worker
	Retry     time.Duration // pause before a failed unit is tried again
	RetryMost time.Duration // longest pause between two requests that the server did not answer
}

func (t Timing) orDefault() Timing {
	def := Timing{Ack: 30 * time.Second, Presence: 20 * time.Second, Audit: 5 * time.Second, NoWorker: 10 * time.Second, Retry: 2 * time.Second, RetryMost: 2 * time.Second}
	for _, f := range []struct{ have, want *time.Duration }{
		{&t.Ack, &def.Ack}, {&t.Presence, &def.Presence}, {&t.Audit, &def.Audit}, {&t.NoWorker, &def.NoWorker}, {&t.Retry, &def.Retry}, {&t.RetryMost, &def.RetryMost},
	} {
		if *f.have <= 0 {
			*f.have = *f.want
		}
	}
	return t
}

// A Client is a connection to a server. It reconnects to the same or another server of the cluster.
type Client struct {
	nc     *nats.Conn
	js     js.JetStream
	lay    layout
	door   Door
	timing Timing
	// Warn receives messages for the user, such as a server that does not answer or a missing worker. It may be
	// nil and is called from several goroutines.
	Warn func(message string)
}

// answer is the timeout of one request, after which it is repeated.
const answer = 3 * time.Second

// Connect connects and creates missing streams. It fails if no server can be reached.
func Connect(ctx context.Context, c Connection) (*Client, error) {
	if c.Door == (Door{}) {
		c.Door = ThisDoor()
	}
	opts, err := c.options()
	if err != nil {
		return nil, err
	}
	nc, err := dial(ctx, c.URL, opts)
	if err != nil {
		return nil, c.explain(err)
	}
	stream, err := js.New(nc, js.WithDefaultTimeout(answer), js.WithPublishAsyncMaxPending(256))
	if err != nil {
		nc.Close()
		return nil, err
	}
	client := &Client{nc: nc, js: stream, door: c.Door, timing: c.Timing.orDefault()}
	if err := client.prepare(ctx); err != nil {
		nc.Close()
		return nil, c.explain(err)
	}
	return client, nil
}

func dial(ctx context.Context, address string, opts []nats.Option) (*nats.Conn, error) {
	type reply struct {
		nc  *nats.Conn
		err error
	}
	got := make(chan reply, 1)
	go func() {
		nc, err := nats.Connect(address, opts...)
		got <- reply{nc, err}
	}()
	select {
	case r := <-got:
		return r.nc, r.err
	case <-ctx.Done():
		go func() {
			if r := <-got; r.nc != nil {
				r.nc.Close()
			}
		}()
		return nil, context.Cause(ctx)
	}
}

func (c *Connection) options() ([]nats.Option, error) {
	name := c.Name
	if name == "" {
		name = "polydag"
	}
	opts := []nats.Option{nats.Name(name), nats.MaxReconnects(-1), nats.ReconnectWait(250 * time.Millisecond), nats.Timeout(answer),
		nats.PingInterval(5 * time.Second), nats.MaxPingsOutstanding(2), nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {})}
	if c.InProcess != nil {
		opts = append(opts, nats.InProcessServer(c.InProcess))
	}
	if c.Creds != "" && c.NKey != "" {
		return nil, errors.New("credentials and an NKey are both given; keep one of them")
	}
	for _, file := range []string{c.Creds, c.NKey, c.TLSCert, c.TLSKey, c.TLSCA} {
		if file == "" {
			continue
		}
		if _, err := os.ReadFile(file); err != nil {
			return nil, fmt.Errorf("cannot read %s: %w; check the path and its permissions", file, errors.Unwrap(err))
		}
	}
	if c.Creds != "" {
		opts = append(opts, nats.UserCredentials(c.Creds))
	}
	if c.NKey != "" {
		key, err := nats.NkeyOptionFromSeed(c.NKey)
		if err != nil {
			return nil, fmt.Errorf("%s has no seed of an NKey: %w", c.NKey, err)
		}
		opts = append(opts, key)
	}
	if (c.TLSCert == "") != (c.TLSKey == "") {
		return nil, errors.New("a certificate and its key belong together; give both files or neither")
	}
	if c.TLSCert != "" {
		if _, err := tls.LoadX509KeyPair(c.TLSCert, c.TLSKey); err != nil {
			return nil, fmt.Errorf("%s and %s are not a certificate and its key: %w", c.TLSCert, c.TLSKey, err)
		}
		opts = append(opts, nats.ClientCert(c.TLSCert, c.TLSKey))
	}
	if c.TLSCA != "" {
		opts = append(opts, nats.RootCAs(c.TLSCA))
	}
	return opts, nil
}

// Where returns the address without credentials.
func (c *Connection) Where() string {
	if c.InProcess != nil {
		return "this process"
	}
	var list []string
	for part := range strings.SplitSeq(c.URL, ",") {
		if part = strings.TrimSpace(part); !strings.Contains(part, "://") {
			part = "nats://" + part
		}
		u, err := url.Parse(part)
		if err != nil || u.Host == "" {
			list = append(list, "an address that cannot be read")
			continue
		}
		list = append(list, u.Scheme+"://"+u.Host)
	}
	return strings.Join(list, ",")
}

// explain describes a failure to connect, without credentials.
func (c *Connection) explain(err error) error {
	at := c.Where()
	var unknown *tls.CertificateVerificationError
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, nats.ErrTimeout):
		return err
	case errors.Is(err, nats.ErrAuthorization), errors.Is(err, nats.ErrAuthExpired), errors.Is(err, nats.ErrAuthRevoked), errors.Is(err, nats.ErrAccountAuthExpired):
		return fmt.Errorf("%s refuses the credentials: %w; check the file with the address and its token, the credentials file or the NKey", at, ErrRefused)
	case errors.Is(err, nats.ErrSecureConnRequired):
		return fmt.Errorf("%s wants TLS: %w; give the file of the authority, or an address that begins with tls://", at, err)
	case errors.As(err, &unknown):
		return fmt.Errorf("the certificate of %s is not trusted: %w; give the file of its authority", at, err)
	case errors.Is(err, js.ErrJetStreamNotEnabled), errors.Is(err, js.ErrJetStreamNotEnabledForAccount):
		return fmt.Errorf("the server at %s has no JetStream: start it with polydag-hub or nats-server -js", at)
	case errors.Is(err, nats.ErrNoServers), errors.Is(err, nats.ErrTimeout):
		return fmt.Errorf("no server answers at %s: %w; start one with polydag-hub", at, err)
	}
	text := err.Error()
	for part := range strings.SplitSeq(c.URL, ",") { // errors about the address quote it
		if part != "" {
			text = strings.ReplaceAll(text, strings.TrimSpace(part), at)
		}
	}
	if u, perr := url.Parse(c.URL); perr == nil && u.User != nil {
		text = strings.ReplaceAll(text, u.User.String(), "…")
	}
	return fmt.Errorf("cannot use the server at %s: %s", at, text)
}

// ErrRefused is matched by the error of a server that rejects this client.
var ErrRefused = errors.New("not authorized")

// Close ends the connection.
func (c *Client) Close() { c.nc.Close() }

func (c *Client) logf(format string, args ...any) {
	if c.Warn != nil {
		c.Warn(fmt.Sprintf(format, args...))
	}
}

// Received returns the number of bytes received from the server.
func (c *Client) Received() uint64 { return c.nc.Stats().InBytes }
