package serve

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/url"
	"path"
)

// policy is the Content-Security-Policy of answers that are no pages: nothing may run. Each page has its own.
const policy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const cookie = "polydag_token"

// guard refuses requests with another host name (DNS rebinding), posts from other sites, and requests without
// the token if one is set.
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
			http.Redirect(w, r, local(r.URL.Path), http.StatusSeeOther)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// local returns the address of a path of this server. A browser reads two slashes at the start, or a slash and a backslash, as another
// host.
func local(p string) string { return (&url.URL{Path: path.Clean("/" + p)}).EscapedPath() }

// loopbackName reports whether a Host header names this machine. A site can resolve its name to 127.0.0.1, but
// the browser then sends the name of the site.
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

// admit checks the token in the address or in the cookie set from it.
func (s *Server) admit(w http.ResponseWriter, r *http.Request) bool {
	for _, name := range []string{cookieOf(r), cookie} {
		if c, err := r.Cookie(name); err == nil && s.same(c.Value) {
			return true
		}
	}
	if !s.same(r.URL.Query().Get("token")) {
		return false
	}
	// The token leaves the address bar, so that bookmarks and screenshots do not reveal it.
	http.SetCookie(w, &http.Cookie{Name: cookieOf(r), Value: s.opt.Token, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
	return true
}

// cookieOf returns the name of the cookie, including the port. Browsers send cookies to all ports of a host, so
// two servers would overwrite each other's cookies.
func cookieOf(r *http.Request) string {
	if _, port, err := net.SplitHostPort(r.Host); err == nil && port != "" {
		return cookie + "_" + port
	}
	return cookie
}

// same compares tokens in constant time.
func (s *Server) same(given string) bool {
	a, b := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(s.opt.Token))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}
