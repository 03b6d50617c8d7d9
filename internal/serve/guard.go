package serve

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
)

// policy is the Content-Security-Policy of the server's own pages: files of this server and nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

const cookie = "polydag_token"

// guard refuses what a browser could be tricked into: requests under another host's name (a site that points its own name at
// this machine), posts from other sites, and, with a token, whoever does not have it.
func (s *Server) guard(next http.Handler) http.Handler {
	crossOrigin := http.NewCrossOriginProtection()
	crossOrigin.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		refuse(w, http.StatusForbidden, "refused: the request comes from another site")
	}))
	next = crossOrigin.Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		switch {
		case s.opt.Token == "" && !loopbackName(r.Host):
			refuse(w, http.StatusMisdirectedRequest, "refused: this server answers for localhost only")
		case s.opt.Token != "" && !s.admit(w, r):
			refuse(w, http.StatusUnauthorized, "refused: open the address with ?token=… as the command printed it")
		case s.opt.Token != "" && r.Method == http.MethodGet && r.URL.Query().Has("token"):
			http.Redirect(w, r, r.URL.Path, http.StatusSeeOther)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// loopbackName reports whether a Host header names this machine. A site can point its name at 127.0.0.1, but it cannot
// make the browser send another name than its own.
func loopbackName(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = host
	}
	if len(name) > 1 && name[0] == '[' && name[len(name)-1] == ']' {
		name = name[1 : len(name)-1]
	}
	ip := net.ParseIP(name)
	return name == "localhost" || ip != nil && ip.IsLoopback()
}

// admit checks the token of the address or of the cookie that the address left.
func (s *Server) admit(w http.ResponseWriter, r *http.Request) bool {
	for _, name := range []string{cookieOf(r), cookie} {
		if c, err := r.Cookie(name); err == nil && s.same(c.Value) {
			return true
		}
	}
	if !s.same(r.URL.Query().Get("token")) {
		return false
	}
	// The token leaves the address bar: a bookmark or a look over the shoulder would give it away.
	http.SetCookie(w, &http.Cookie{Name: cookieOf(r), Value: s.opt.Token, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
	return true
}

// cookieOf is the name of the cookie that a browser gets: with the port, since browsers send the cookies of one port of a machine to all
// others, and two servers would overwrite each other's.
func cookieOf(r *http.Request) string {
	if _, port, err := net.SplitHostPort(r.Host); err == nil && port != "" {
		return cookie + "_" + port
	}
	return cookie
}

// same compares in a time that tells nothing about the token.
func (s *Server) same(given string) bool {
	a, b := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(s.opt.Token))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}
