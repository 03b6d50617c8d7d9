// Package server runs an embedded NATS server with JetStream, for users without a server.
//
//	h, err := server.Start(hub.Settings{Store: "store", Listen: "127.0.0.1:4222"})
//	defer h.Stop()
//
// It is the nats.io server as a library. Every NATS client can use it, and polydag can use any other NATS
// server with JetStream.
package server

import (
	"bufio"
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	nats "github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	"github.com/polydag/polydag/cluster/hub"
	"github.com/polydag/polydag/internal/checkpoint"
)

// A Hub is a running server.
type Hub struct {
	s     *nats.Server
	store string
	lock  *checkpoint.Dir // one server at a time may use the folder
	log   *logger
}

// start is the time that a server has to become ready, including loading its storage.
const start = 60 * time.Second

// Start starts a server and waits until clients can connect.
func Start(o hub.Settings) (*Hub, error) {
	conf, err := options(&o)
	if err != nil {
		return nil, err
	}
	if err := guarded(&o, conf); err != nil {
		return nil, err
	}
	if !conf.DontListen { // the server would exit the process if it cannot listen
		l, err := net.Listen("tcp", net.JoinHostPort(conf.Host, strconv.Itoa(max(conf.Port, 0))))
		if err != nil {
			return nil, fmt.Errorf("cannot listen at %s: %w; choose another address", o.Listen, err)
		}
		if err := l.Close(); err != nil {
			return nil, err
		}
	}
	lock, err := checkpoint.Open(conf.StoreDir)
	if err != nil {
		return nil, fmt.Errorf("cannot use the folder for the store: %w", err)
	}
	h := &Hub{store: conf.StoreDir, lock: lock, log: &logger{to: o.Log}}
	if h.s, err = nats.NewServer(conf); err != nil {
		return nil, errors.Join(fmt.Errorf("the server does not start: %w", err), lock.Close())
	}
	h.s.SetLoggerV2(h.log, false, false, false)
	go h.s.Start()
	if !h.s.ReadyForConnections(start) {
		h.Stop()
		return nil, fmt.Errorf("the server is not ready after %s; look at the folder %s", start, h.store)
	}
	if !h.s.JetStreamEnabled() {
		h.Stop()
		return nil, fmt.Errorf("the server cannot use the folder %s; check its permissions", h.store)
	}
	return h, nil
}

func options(o *hub.Settings) (*nats.Options, error) {
	conf := &nats.Options{}
	if o.Config != "" {
		var err error
		if conf, err = nats.ProcessConfigFile(o.Config); err != nil {
			return nil, fmt.Errorf("%s: %w", o.Config, err)
		}
	}
	if o.Store == "" && conf.StoreDir == "" {
		return nil, errors.New("a hub needs a folder to store in")
	}
	if o.Store != "" {
		if err := os.MkdirAll(o.Store, 0o700); err != nil {
			return nil, fmt.Errorf("cannot make %s: %w; check the folder and its permissions", o.Store, err)
		}
		conf.StoreDir = o.Store
	}
	conf.JetStream, conf.NoSigs, conf.NoLog = true, true, false
	conf.SyncInterval = 5 * time.Second // the default is two minutes
	if o.MaxStore > 0 {
		conf.JetStreamMaxStore = o.MaxStore
	}
	if o.Name != "" {
		conf.ServerName = o.Name
	}
	if conf.MaxPayload == 0 {
		conf.MaxPayload = nats.MAX_PAYLOAD_SIZE
	}
	switch {
	case o.Listen != "":
		host, port, err := hostPort(o.Listen)
		if err != nil {
			return nil, err
		}
		conf.Host, conf.Port = host, port
	case o.Config == "":
		conf.DontListen = true
	}
	if err := letIn(o, conf); err != nil {
		return nil, err
	}
	return conf, join(o, conf)
}

func letIn(o *hub.Settings, conf *nats.Options) error {
	if o.TokenFile != "" {
		text, err := os.ReadFile(o.TokenFile)
		if err != nil {
			return fmt.Errorf("cannot read %s: %w", o.TokenFile, errors.Unwrap(err))
		}
		conf.Authorization = strings.TrimSpace(string(text))
		if len(conf.Authorization) < leastToken {
			return fmt.Errorf("%s has a word of %d characters, want at least %d", o.TokenFile, len(conf.Authorization), leastToken)
		}
	}
	if o.NKeys != "" {
		text, err := os.ReadFile(o.NKeys)
		if err != nil {
			return fmt.Errorf("cannot read %s: %w", o.NKeys, errors.Unwrap(err))
		}
		for lines, n := bufio.NewScanner(bytes.NewReader(text)), 1; lines.Scan(); n++ {
			key, _, _ := strings.Cut(lines.Text(), "#")
			if key = strings.TrimSpace(key); key == "" {
				continue
			}
			if !nkeys.IsValidPublicUserKey(key) {
				return fmt.Errorf("%s: line %d is not the public key of a user; public keys begin with U", o.NKeys, n)
			}
			conf.Nkeys = append(conf.Nkeys, &nats.NkeyUser{Nkey: key})
		}
	}
	if (o.TLSCert == "") != (o.TLSKey == "") || o.TLSCert == "" && o.TLSCA != "" {
		return errors.New("TLS needs a certificate and its key; give both files")
	}
	if o.TLSCert == "" {
		return nil
	}
	config, err := nats.GenTLSConfig(&nats.TLSConfigOpts{CertFile: o.TLSCert, KeyFile: o.TLSKey, CaFile: o.TLSCA, Verify: o.TLSCA != ""})
	if err != nil {
		return fmt.Errorf("%s and %s: %w", o.TLSCert, o.TLSKey, err)
	}
	conf.TLS, conf.TLSConfig, conf.TLSVerify = true, config, o.TLSCA != ""
	conf.TLSTimeout = 5
	return nil
}

// leastToken is the minimum length of a token.
const leastToken = 16

// join adds the server to a cluster. The servers authenticate each other by a password derived from the token,
// by certificates, or both.
func join(o *hub.Settings, conf *nats.Options) error {
	if o.Cluster == "" {
		if o.ClusterListen != "" || len(o.Routes) > 0 {
			return errors.New("a cluster needs a name, the same at each of its servers")
		}
		return nil
	}
	if o.Name == "" || o.ClusterListen == "" {
		return errors.New("each server of a cluster needs a name of its own and an address for the others")
	}
	host, port, err := hostPort(o.ClusterListen)
	if err != nil {
		return err
	}
	cluster := &conf.Cluster
	cluster.Name, cluster.Host, cluster.Port = o.Cluster, host, port
	if o.TLSCert != "" {
		cluster.TLSConfig, cluster.TLSTimeout = conf.TLSConfig.Clone(), 5
		cluster.TLSConfig.RootCAs = conf.TLSConfig.ClientCAs // a server is a client of the others
	}
	if o.TokenFile != "" {
		cluster.Username, cluster.Password = "polydag", routePassword(conf.Authorization, o.Cluster)
	}
	for _, r := range o.Routes {
		if !strings.Contains(r, "://") {
			r = "nats://" + r
		}
		u, err := url.Parse(r)
		if err != nil || u.Host == "" {
			return fmt.Errorf("%q is not the address of another server; want host:port", r)
		}
		if u.User == nil && cluster.Username != "" {
			u.User = url.UserPassword(cluster.Username, cluster.Password)
		}
		conf.Routes = append(conf.Routes, u)
	}
	if len(conf.Routes) == 0 {
		return errors.New("there is no route to another server of the cluster; name the address of each of them as host:port")
	}
	return nil
}

// routePassword returns the password between the servers of a cluster. It is not the token, so that it does not
// give access as a client.
func routePassword(token, cluster string) string {
	mac := hmac.New(sha256.New, []byte(token))
	fmt.Fprintf(mac, "polydag route/1 %s", cluster)
	return hex.EncodeToString(mac.Sum(nil))
}

// guarded refuses unauthenticated access from other machines unless Open is set.
func guarded(o *hub.Settings, conf *nats.Options) error {
	if o.Open {
		return nil
	}
	clients := conf.DontListen || o.Config != "" || conf.Authorization != "" || len(conf.Nkeys) > 0 || conf.TLSVerify
	if !clients && reachable(conf.Host) {
		return fmt.Errorf("%w: %s is open to other machines, and anyone who reaches it could submit work and read results", hub.ErrOpen, conf.Host)
	}
	certified := conf.Cluster.TLSConfig != nil && conf.Cluster.TLSConfig.ClientAuth == tls.RequireAndVerifyClientCert
	servers := conf.Cluster.Port == 0 || conf.Cluster.Username != "" || certified
	if !servers && reachable(conf.Cluster.Host) {
		return fmt.Errorf("%w: the route address %s is open to other machines, and any server that reaches it could join the cluster; it needs a token or certificates", hub.ErrOpen, conf.Cluster.Host)
	}
	return nil
}

// reachable reports whether other machines may reach a host. An empty host means every address of this machine.
func reachable(host string) bool {
	ip := net.ParseIP(host)
	return host != "localhost" && (ip == nil || !ip.IsLoopback())
}

func hostPort(address string) (string, int, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return "", 0, fmt.Errorf("%q: want an address and a port such as 127.0.0.1:4222", address)
	}
	n, err := strconv.Atoi(port)
	if err != nil || n < 0 || n > 65535 {
		return "", 0, fmt.Errorf("%q: the port %q is not a number from 0 to 65535", address, port)
	}
	if n == 0 {
		n = nats.RANDOM_PORT
	}
	if host == "" {
		host = "0.0.0.0"
	}
	return host, n, nil
}

// URL returns the address for clients, without credentials.
func (h *Hub) URL() string { return h.s.ClientURL() }

// InProcessConn connects a client of this process, for nats.InProcessServer.
func (h *Hub) InProcessConn() (net.Conn, error) { return h.s.InProcessConn() }

// Stop shuts the server down. All acknowledged data is stored.
func (h *Hub) Stop() {
	h.s.Shutdown()
	h.s.WaitForShutdown()
	_ = h.lock.Close() // the lock ends with the process at the latest
}
