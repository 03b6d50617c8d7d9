package hub

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/polydag/polydag/checkpoint"
)

// What a hub refuses before it starts.
func TestRefusals(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for want, o := range map[string]Options{
		"needs a folder":                    {},
		"0.0.0.0 is open":                   {Listen: "0.0.0.0:0"},
		"[::] is open":                      {Listen: "[::]:0"},
		"want an address and a port":        {Listen: "here"},
		"no number from 0 to 65535":         {Listen: "127.0.0.1:70000"},
		"cannot listen at":                  {Listen: taken.Addr().String()},
		"a word of 5 characters":            {Listen: "127.0.0.1:0", TokenFile: write("short", "short")},
		"cannot read":                       {Listen: "127.0.0.1:0", TokenFile: filepath.Join(dir, "none")},
		"line 2 is no public key":           {Listen: "127.0.0.1:0", NKeys: write("keys", "# ours\nSUAsecret\n")},
		"TLS needs a certificate":           {Listen: "127.0.0.1:0", TLSCert: write("c.pem", "")},
		"a cluster needs a name":            {Listen: "127.0.0.1:0", Routes: []string{"a:1"}},
		"needs a name of its own":           {Listen: "127.0.0.1:0", Cluster: "lab"},
		"the route address 0.0.0.0 is open": {Listen: "127.0.0.1:0", Cluster: "lab", Name: "a", ClusterListen: "0.0.0.0:0", Routes: []string{"b:6222"}, NKeys: write("public", publicKey)},
		"no route to another server":        {Listen: "127.0.0.1:0", Cluster: "lab", Name: "a", ClusterListen: "127.0.0.1:0"},
		"no address of another server":      {Listen: "127.0.0.1:0", Cluster: "lab", Name: "a", ClusterListen: "127.0.0.1:0", Routes: []string{"nats://"}},
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
		if strings.HasSuffix(want, "is open") != errors.Is(err, ErrOpen) {
			t.Errorf("%v: matches ErrOpen: %v", err, errors.Is(err, ErrOpen))
		}
	}
}

// publicKey is the public NKey of some user.
const publicKey = "UAH42UG6PV552P5SWLWTBP3H3S5BHAVCO2IEKEXUANJXR75J63RQ5WM6"

// A server joins a cluster only with the token of the cluster, also where it takes the name of the cluster and reaches its port.
func TestRoutesNeedTheToken(t *testing.T) {
	t.Parallel()
	token := func(word string) string {
		path := filepath.Join(t.TempDir(), "token")
		if err := os.WriteFile(path, []byte(word), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	start := func(name, tokenFile string, log func(string), routes ...string) *Hub {
		h, err := Start(Options{Store: t.TempDir(), Listen: "127.0.0.1:0", Name: name, TokenFile: tokenFile, Log: log, Cluster: "lab", ClusterListen: "127.0.0.1:0", Routes: routes})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(h.Stop)
		return h
	}
	refused := make(chan string, 100)
	ours := token("the word of this cluster")
	a := start("a", ours, func(m string) {
		select {
		case refused <- m:
		default:
		}
	}, "127.0.0.1:1") // a cluster needs a route, and nothing listens there
	at := a.s.ClusterAddr().String()
	for name, file := range map[string]string{"none": "", "other": token("a word of some other cluster")} {
		intruder := start(name, file, nil, at)
		for m := ""; !strings.Contains(strings.ToLower(m), "auth"); {
			select {
			case m = <-refused:
			case <-time.After(10 * time.Millisecond):
			}
			if a.s.NumRoutes() > 0 {
				t.Fatalf("token %s: the server joins", name)
			}
		}
		intruder.Stop()
		for len(refused) > 0 {
			<-refused
		}
	}
	start("b", ours, nil, at)
	for begun := time.Now(); a.s.NumRoutes() == 0; time.Sleep(5 * time.Millisecond) {
		if time.Since(begun) > time.Minute {
			t.Fatal("a server with the token does not join")
		}
	}
}

// One hub has a folder at a time, and gives it back.
func TestOneHubForAFolder(t *testing.T) {
	o := Options{Store: t.TempDir()}
	h, err := Start(o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Start(o); !errors.Is(err, checkpoint.ErrLocked) {
		t.Errorf("a second one: %v", err)
	}
	h.Stop()
	if h, err = Start(o); err != nil {
		t.Fatal(err)
	}
	h.Stop()
}

// Serve ends in order with its context, and says where it listens.
func TestServe(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- Serve(ctx, Options{Store: t.TempDir(), Listen: "127.0.0.1:0"}, func(h *Hub) {
			if c, err := net.Dial("tcp", strings.TrimPrefix(h.URL(), "nats://")); err != nil {
				t.Errorf("%s: %v", h.URL(), err)
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
