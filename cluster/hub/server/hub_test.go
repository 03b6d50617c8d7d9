package server

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/polydag/polydag/cluster/hub"
	"github.com/polydag/polydag/internal/checkpoint"
	"github.com/polydag/polydag/internal/must"
)

// TestRefusals checks the settings that a hub rejects.
func TestRefusals(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		must.Succeed(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	taken := must.Get(net.Listen("tcp", "127.0.0.1:0"))
	defer taken.Close()
	for want, o := range map[string]hub.Settings{
		"needs a folder":                    {},
		"0.0.0.0 is open":                   {Listen: "0.0.0.0:0"},
		"[::] is open":                      {Listen: "[::]:0"},
		"want an address and a port":        {Listen: "here"},
		"not a number from 0 to 65535":      {Listen: "127.0.0.1:70000"},
		"cannot listen at":                  {Listen: taken.Addr().String()},
		"a word of 5 characters":            {Listen: "127.0.0.1:0", TokenFile: write("short", "short")},
		"cannot read":                       {Listen: "127.0.0.1:0", TokenFile: filepath.Join(dir, "none")},
		"line 2 is not the public key":      {Listen: "127.0.0.1:0", NKeys: write("keys", "# ours\nSUAsecret\n")},
		"TLS needs a certificate":           {Listen: "127.0.0.1:0", TLSCert: write("c.pem", "")},
		"a cluster needs a name":            {Listen: "127.0.0.1:0", Routes: []string{"a:1"}},
		"needs a name of its own":           {Listen: "127.0.0.1:0", Cluster: "lab"},
		"the route address 0.0.0.0 is open": {Listen: "127.0.0.1:0", Cluster: "lab", Name: "a", ClusterListen: "0.0.0.0:0", Routes: []string{"b:6222"}, NKeys: write("public", publicKey)},
		"no route to another server":        {Listen: "127.0.0.1:0", Cluster: "lab", Name: "a", ClusterListen: "127.0.0.1:0"},
		"not the address of another server": {Listen: "127.0.0.1:0", Cluster: "lab", Name: "a", ClusterListen: "127.0.0.1:0", Routes: []string{"nats://"}},
		"server.conf":                       {Listen: "127.0.0.1:0", Config: write("server.conf", "port: {")},
	} {
		if want != "needs a folder" {
			o.Store = filepath.Join(dir, "store")
		}
		h, err := Start(o)
		if err == nil {
			h.Stop()
			t.Errorf("%s: it starts", want)
			continue
		}
		if text := strings.ReplaceAll(err.Error(), ": :: is open", ": [::] is open"); !strings.Contains(text, want) {
			t.Errorf("%q, want %q", text, want)
		}
		if strings.HasSuffix(want, "is open") != errors.Is(err, hub.ErrOpen) {
			t.Errorf("%v: matches ErrOpen: %v", err, errors.Is(err, hub.ErrOpen))
		}
	}
}

// publicKey is the public NKey of some user.
const publicKey = "UAH42UG6PV552P5SWLWTBP3H3S5BHAVCO2IEKEXUANJXR75J63RQ5WM6"

// TestOneHubForAFolder checks that one hub at a time uses a folder and releases it.
func TestOneHubForAFolder(t *testing.T) {
	o := hub.Settings{Store: t.TempDir()}
	h, err := Start(o)
	must.Succeed(t, err)
	if _, err := Start(o); !errors.Is(err, checkpoint.ErrLocked) {
		t.Errorf("a second one: %v", err)
	}
	h.Stop()
	if h, err = Start(o); err != nil {
		t.Fatal(err)
	}
	h.Stop()
}

// TestServe checks that Serve ends with its context and reports its address.
func TestServe(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- Serve(ctx, hub.Settings{Store: t.TempDir(), Listen: "127.0.0.1:0"}, func(at string) {
			if c, err := net.Dial("tcp", strings.TrimPrefix(at, "nats://")); err != nil {
				t.Errorf("%s: %v", at, err)
			} else {
				c.Close()
			}
			cancel()
		})
	}()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Fatal("it does not end")
	}
}
