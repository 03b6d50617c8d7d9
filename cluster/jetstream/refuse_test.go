package jetstream

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	crand "crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	js "github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"

	"github.com/polydag/polydag/cluster/hub"
	"github.com/polydag/polydag/cluster/work"
	"github.com/polydag/polydag/internal/must"
)

// TestVersionAtTheDoor checks that a worker of another version refuses a job with a reason, that the submitter
// names the present workers, and that the right worker does it.
func TestVersionAtTheDoor(t *testing.T) {
	t.Parallel()
	h := inside(t, hub.Settings{})
	old := Door{Version: "v0.1.0", Arch: "amd64", Kernel: "avx2"}
	var worker, submitter said
	c1 := client(t, h, func(c *Connection) { c.Door = old })
	c1.Warn = worker.add
	working(t, c1, Worker{Handlers: toys(func(toy) { t.Error("a worker of another version does a unit") })})
	c2 := client(t, h)
	c2.Warn = submitter.add
	job := toyJob(t, numbers(5, toy{})...)
	var got string
	var err error
	var group sync.WaitGroup
	group.Go(func() { got, err = merged(t.Context(), &Submitter{c2, nil}, job) })
	eventually(t, "the worker refuses", func() bool { return worker.has("is left to others: it is for " + ThisDoor().String()) })
	eventually(t, "the submitter says who is there", func() bool { return submitter.has("1 of " + old.String()) })
	working(t, client(t, h), Worker{})
	group.Wait()
	if err != nil || got != local(t, job) {
		t.Errorf("%v\n%s", err, got)
	}
}

// TestNoWorkerIsSaid checks that the submitter reports that there is no worker.
func TestNoWorkerIsSaid(t *testing.T) {
	t.Parallel()
	h := inside(t, hub.Settings{})
	var heard said
	c := client(t, h)
	c.Warn = heard.add
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { _, err := merged(ctx, &Submitter{c, nil}, toyJob(t, toy{Number: 1})); ended <- err }()
	eventually(t, "it is said", func() bool { return heard.has("no worker has been there for") })
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestLimits checks the limits of a worker: kinds, bytes, memory. The submitter reports who refuses and why.
func TestLimits(t *testing.T) {
	t.Parallel()
	h := inside(t, hub.Settings{})
	job := toyJob(t, toy{Number: 2})
	for name, w := range map[string]Worker{
		"units of kind":                {Handlers: work.Handlers{"other/1": toys(nil)["toy/1"]}},
		"bytes and this worker takes":  {MaxBytes: 3},
		"has 6 bytes and this":         {MaxBytes: 1 << 20, MaxMemory: 8}, // an input is held in memory
		"would need about 1 MB of mem": {MaxMemory: 1 << 10},
	} {
		t.Run(name, func(t *testing.T) {
			var heard, told said
			w.Name = "small"
			c := client(t, h)
			c.Warn = heard.add
			w.Tell = func(d Done) { heard.add(d.Err.Error()) }
			stop := working(t, c, w)
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error)
			submitter := client(t, h)
			submitter.Warn = told.add
			go func() { _, err := merged(ctx, &Submitter{submitter, nil}, job); ended <- err }()
			eventually(t, "the worker refuses", func() bool {
				return heard.has("is left to others") || heard.has("of memory")
			})
			eventually(t, "the submitter is told", func() bool {
				return told.has("worker small ") && told.has(name)
			})
			cancel()
			<-ended
			stop()
		})
	}
	working(t, client(t, h), Worker{MaxBytes: 1 << 20, MaxMemory: 1 << 30})
	if got, err := merged(t.Context(), &Submitter{client(t, h), nil}, job); err != nil || got != local(t, job) {
		t.Errorf("%v: %s", err, got)
	}
}

// TestHostilePayload checks that foreign data in the queue or the buckets is rejected and named, and that the
// rest is done.
func TestHostilePayload(t *testing.T) {
	t.Parallel()
	h := inside(t, hub.Settings{})
	c := client(t, h)
	job := toyJob(t, numbers(20, toy{})...)
	id := mustRecord(t, job, c.door).ID
	path := must.Get(work.NewUnit("toy/1", map[string]any{"number": 1, "path": "/etc/passwd"}))
	unknown := must.Get(work.NewUnit("shell/1", "rm"))
	encode := func(u work.Unit) string {
		b := must.Get(u.Encode())
		return string(b)
	}
	for name, payload := range map[string]string{
		"junk":     "\x00\xff{{{",
		"empty":    "",
		"deep":     strings.Repeat("[", 100_000),
		"wrongid":  strings.Replace(encode(job.Units[0]), `"number":1`, `"number":2`, 1),
		path.ID:    encode(path),
		unknown.ID: encode(unknown),
		"renamed":  encode(job.Units[3]),
	} {
		must.Get(c.js.PublishMsg(t.Context(), &nats.Msg{Subject: workSubject(id, name), Data: []byte(payload)}))
	}
	for key, value := range map[string]string{"x": "junk", id[:8] + "00000000": `{"id": 3}`, "aaaaaaaaaaaaaaaa": `{"id":"aaaaaaaaaaaaaaaa","units":-1}`} {
		must.Get(c.lay.jobs.Put(t.Context(), key, []byte(value)))
	}
	must.Get(c.lay.workers.Put(t.Context(), "liar", []byte("junk")))
	var heard said
	other := client(t, h)
	other.Warn = heard.add
	working(t, other, Worker{})
	got, err := merged(t.Context(), &Submitter{c, nil}, job)
	if err != nil || got != local(t, job) {
		t.Fatalf("%v\n%s", err, got)
	}
	eventually(t, "all that is hostile is named", func() bool { // they were first in the queue
		keys := must.Get(c.troubleKeys(t.Context(), id))
		aside, named := 0, false
		for _, key := range keys {
			entry, err := c.lay.trouble.Get(t.Context(), key)
			var tr Trouble
			if err != nil || json.Unmarshal(entry.Value(), &tr) != nil {
				continue
			}
			if tr.Unit == path.ID { // a unit in form: it fails when it is done
				named = len(tr.Errors) > 0 && strings.Contains(tr.Errors[0].Text, `unknown field "path"`)
			} else if strings.Contains(tr.Aside, work.ErrUnit.Error()) {
				aside++
			}
		}
		return aside == 6 && named
	})
	if info, err := c.lay.work.Info(t.Context()); err != nil || info.State.Msgs != 0 {
		t.Errorf("left in the queue: %+v, %v", info, err)
	}
	if !heard.has(`the description of job "x" cannot be read`) {
		t.Errorf("%q", heard.text)
	}
}

// TestChecksums checks that checksums detect a damaged table and a damaged outcome.
func TestChecksums(t *testing.T) {
	t.Parallel()
	h := inside(t, hub.Settings{})
	c := client(t, h)
	job := toyJob(t, toy{Number: 9})
	for hash := range job.Blobs { // same length, other content
		must.Get(c.lay.inputs.Put(t.Context(), js.ObjectMeta{Name: hash}, strings.NewReader("m² = ")))
	}
	working(t, client(t, h), Worker{})
	if _, err := merged(t.Context(), &Submitter{c, nil}, job); err == nil || !strings.Contains(err.Error(), "it is damaged") || !strings.Contains(err.Error(), job.Units[0].ID) {
		t.Errorf("a damaged input: %v", err)
	}
	other := toyJob(t, toy{Number: 10, Pause: 1})
	msg := nats.NewMsg(resultSubject(mustRecord(t, other, c.door).ID, other.Units[0].ID))
	msg.Header.Set(headerHash, work.Hash([]byte("right")))
	msg.Data = []byte("wrong")
	must.Get(c.js.PublishMsg(t.Context(), msg))
	if _, err := merged(t.Context(), &Submitter{c, nil}, other); err == nil || !strings.Contains(err.Error(), "it is damaged") {
		t.Errorf("a damaged outcome: %v", err)
	}
}

func write(t *testing.T, dir, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(dir, name)
	must.Succeed(t, os.WriteFile(path, content, 0o600))
	return path
}

// TestCredentials checks that only clients with the token or NKey are accepted, and that no message repeats the
// credentials.
func TestCredentials(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	user := must.Get(nkeys.CreateUser())
	public := must.Get(user.PublicKey())
	seed := must.Get(user.Seed())
	stranger := must.Get(nkeys.CreateUser())
	wrong := must.Get(stranger.Seed())
	const token = "a-word-of-many-letters"
	byToken := inside(t, hub.Settings{Listen: "127.0.0.1:0", TokenFile: write(t, dir, "token", []byte(token+"\n"))})
	byKey := inside(t, hub.Settings{Listen: "127.0.0.1:0", NKeys: write(t, dir, "keys", []byte("# us\n"+public+" # me\n"))})
	host := strings.TrimPrefix(byToken.URL(), "nats://")
	for name, c := range map[string]struct {
		Connection
		in bool
	}{
		"the token":   {Connection{URL: "nats://" + token + "@" + host}, true},
		"no token":    {Connection{URL: "nats://" + host}, false},
		"a token":     {Connection{URL: "nats://not-the-secret-word@" + host}, false},
		"a password":  {Connection{URL: "nats://someone:my-own-password@" + host}, false},
		"the key":     {Connection{URL: byKey.URL(), NKey: write(t, dir, "right.nk", seed)}, true},
		"no key":      {Connection{URL: byKey.URL()}, false},
		"another key": {Connection{URL: byKey.URL(), NKey: write(t, dir, "wrong.nk", wrong)}, false},
	} {
		client, err := Connect(t.Context(), c.Connection)
		if c.in {
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			client.Close()
			continue
		}
		if !errors.Is(err, ErrRefused) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, secret := range []string{token, "not-the-secret-word", "my-own-password", string(seed), string(wrong)} {
			if strings.Contains(err.Error(), secret) {
				t.Errorf("%s: the error has a secret: %v", name, err)
			}
		}
	}
	for name, c := range map[string]Connection{
		"no such file": {URL: byKey.URL(), NKey: filepath.Join(dir, "none")},
		"no seed":      {URL: byKey.URL(), NKey: write(t, dir, "no.nk", []byte("hello"))},
		"two ways":     {URL: byKey.URL(), NKey: "a", Creds: "b"},
		"no address":   {URL: "nats://127.0.0.1:1"},
		"half of TLS":  {URL: byKey.URL(), TLSCert: write(t, dir, "c.pem", nil)},
	} {
		if _, err := Connect(t.Context(), c); err == nil {
			t.Errorf("%s connects", name)
		}
	}
}

// certificate creates a key and a certificate signed by an authority, or self-signed.
func certificate(t *testing.T, dir, name string, parent *x509.Certificate, by *ecdsa.PrivateKey) (*x509.Certificate, *ecdsa.PrivateKey, string, string) {
	t.Helper()
	key := must.Get(ecdsa.GenerateKey(elliptic.P256(), crand.Reader))
	c := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}, IsCA: parent == nil, BasicConstraintsValid: true,
	}
	if parent == nil {
		parent, by = c, key
	}
	der := must.Get(x509.CreateCertificate(crand.Reader, c, parent, &key.PublicKey, by))
	private := must.Get(x509.MarshalECPrivateKey(key))
	made := must.Get(x509.ParseCertificate(der))
	return made, key, write(t, dir, name+".pem", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})),
		write(t, dir, name+".key", pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: private}))
}

// TestTLS checks that both sides authenticate by certificates.
func TestTLS(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ca, caKey, caFile, _ := certificate(t, dir, "ca", nil, nil)
	_, _, serverCert, serverKey := certificate(t, dir, "server", ca, caKey)
	_, _, clientCert, clientKey := certificate(t, dir, "client", ca, caKey)
	_, _, strangerCert, strangerKey := certificate(t, dir, "stranger", nil, nil)
	h := inside(t, hub.Settings{Listen: "127.0.0.1:0", TLSCert: serverCert, TLSKey: serverKey, TLSCA: caFile})
	address := strings.Replace(h.URL(), "nats://", "tls://", 1)
	c := must.Get(Connect(t.Context(), Connection{URL: address, TLSCert: clientCert, TLSKey: clientKey, TLSCA: caFile}))
	c.Close()
	for name, bad := range map[string]Connection{
		"no certificate":      {URL: address, TLSCA: caFile},
		"another certificate": {URL: address, TLSCert: strangerCert, TLSKey: strangerKey, TLSCA: caFile},
		"no authority":        {URL: address, TLSCert: clientCert, TLSKey: clientKey},
		"another authority":   {URL: address, TLSCert: clientCert, TLSKey: clientKey, TLSCA: strangerCert},
		"mixed files":         {URL: address, TLSCert: clientCert, TLSKey: serverKey, TLSCA: caFile},
	} {
		if _, err := Connect(t.Context(), bad); err == nil {
			t.Errorf("%s: let in", name)
		}
	}
}
