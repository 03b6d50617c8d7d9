package server

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/polydag/polydag/cluster/hub"
	"github.com/polydag/polydag/internal/must"
)

// checkRoutes starts a server of a cluster. The stranger reaches its port, knows the name of the cluster, and must be refused with a
// logged message that contains sign. Then the member must join.
func checkRoutes(t *testing.T, first, member, stranger hub.Settings, sign string) {
	t.Helper()
	start := func(name string, o hub.Settings, route string) *Hub {
		o.Store, o.Listen, o.Name = t.TempDir(), "127.0.0.1:0", name
		o.Cluster, o.ClusterListen, o.Routes = "lab", "127.0.0.1:0", []string{route}
		h := must.Get(Start(o))
		t.Cleanup(h.Stop)
		return h
	}
	refused := make(chan struct{}, 1)
	first.Log = func(m string) {
		if strings.Contains(strings.ToLower(m), sign) {
			select {
			case refused <- struct{}{}:
			default:
			}
		}
	}
	a := start("a", first, "127.0.0.1:1") // a cluster needs a route, and nothing listens there
	at := a.s.ClusterAddr().String()
	c := start("c", stranger, at)
	for waiting := true; waiting; {
		select {
		case <-refused:
			waiting = false
		case <-time.After(10 * time.Millisecond):
		}
		if a.s.NumRoutes() > 0 {
			t.Fatal("the stranger joins")
		}
	}
	c.Stop()
	b := start("b", member, at)
	for begun := time.Now(); a.s.NumRoutes() == 0 || b.s.NumRoutes() == 0; time.Sleep(5 * time.Millisecond) {
		if time.Since(begun) > time.Minute {
			t.Fatal("the member does not join")
		}
	}
}

// TestRoutesNeedTheToken checks that a server joins a cluster only with the token of the cluster.
func TestRoutesNeedTheToken(t *testing.T) {
	t.Parallel()
	token := func(word string) hub.Settings {
		return hub.Settings{TokenFile: write(t, "token", []byte(word))}
	}
	ours := token("the word of this cluster")
	for name, stranger := range map[string]hub.Settings{"no token": {}, "another token": token("a word of some other cluster")} {
		t.Run(name, func(t *testing.T) { checkRoutes(t, ours, ours, stranger, "auth") })
	}
}

// TestRoutesNeedACertificate checks that a server joins a cluster with certificates only with one of the same
// authority.
func TestRoutesNeedACertificate(t *testing.T) {
	t.Parallel()
	ours, theirs := newAuthority(t), newAuthority(t)
	mixed := theirs.options(t)
	mixed.TLSCA = ours.file // it accepts our servers, and has no certificate that they accept
	for name, stranger := range map[string]hub.Settings{"no certificate": {}, "another authority": theirs.options(t), "a certificate of another authority": mixed} {
		t.Run(name, func(t *testing.T) { checkRoutes(t, ours.options(t), ours.options(t), stranger, "handshake error") })
	}
}

func write(t *testing.T, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	must.Succeed(t, os.WriteFile(path, content, 0o600))
	return path
}

// authority signs certificates.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	file string // its own certificate
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{cert: &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		KeyUsage: x509.KeyUsageCertSign, IsCA: true, BasicConstraintsValid: true,
	}}
	a.file, a.key = a.sign(t, a.cert)
	return a
}

// sign creates a key and a certificate. The first one is the self-signed certificate of the authority.
func (a *authority) sign(t *testing.T, c *x509.Certificate) (file string, key *ecdsa.PrivateKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must.Succeed(t, err)
	by := a.key
	if by == nil {
		by = key
	}
	der := must.Get(x509.CreateCertificate(rand.Reader, c, a.cert, &key.PublicKey, by))
	return write(t, "cert.pem", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})), key
}

// options returns the settings of a server at 127.0.0.1 with a certificate of this authority.
func (a *authority) options(t *testing.T) hub.Settings {
	t.Helper()
	file, key := a.sign(t, &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "server"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	})
	der := must.Get(x509.MarshalECPrivateKey(key))
	return hub.Settings{TLSCert: file, TLSKey: write(t, "key.pem", pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der})), TLSCA: a.file}
}
