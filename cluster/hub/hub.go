// Package hub has the settings of a server that distributes work. Package server beside it runs one; the program polydag-hub contains it,
// and polydag does not.
package hub

import "errors"

// Settings define the storage, the address and the authentication of a hub.
type Settings struct {
	Store    string // folder for persistent data
	Listen   string // address and port; port 0 chooses a free one; empty means no port, for clients in this process
	Name     string // name of this server, unique in a cluster
	MaxStore int64  // bytes on disk; 0 means no limit
	Open     bool   // accept all clients on an address that other machines can reach

	TokenFile string // file with a token that clients give as nats://TOKEN@host
	NKeys     string // file with public NKeys of users, one per line
	TLSCert   string
	TLSKey    string
	TLSCA     string // certificate authority of the clients; clients need a certificate from it

	// Config is a nats-server configuration file, for accounts, JWT and other options without a field here. Set
	// fields take precedence.
	Config string

	// Cluster makes this hub part of a replicated cluster: the name of the cluster, the address for the other
	// servers, and their addresses.
	Cluster       string
	ClusterListen string
	Routes        []string

	// Log receives warnings and errors of the server; it may be nil.
	Log func(message string) `json:"-"`
}

// ErrOpen is matched by the error of a hub without authentication.
var ErrOpen = errors.New("nothing says whom to let in")
