package command

import (
	"slices"
	"testing"
)

// TestBrowserLine checks that a browser is opened only where a person sees it.
func TestBrowserLine(t *testing.T) {
	const address = "http://127.0.0.1:8137/?token=T"
	for _, c := range []struct {
		system string
		env    map[string]string
		want   []string
	}{
		{"linux", nil, nil},
		{"linux", map[string]string{"DISPLAY": ":0"}, []string{"xdg-open", address}},
		{"linux", map[string]string{"WAYLAND_DISPLAY": "wayland-0"}, []string{"xdg-open", address}},
		{"linux", map[string]string{"DISPLAY": ":10", "SSH_CONNECTION": "a b"}, nil},
		{"linux", map[string]string{"DISPLAY": ":0", "CI": "true"}, nil},
		{"darwin", nil, []string{"open", address}},
		{"darwin", map[string]string{"SSH_CONNECTION": "a b"}, nil},
		{"windows", nil, []string{"rundll32", "url.dll,FileProtocolHandler", address}},
	} {
		if got := browserLine(c.system, func(name string) string { return c.env[name] }, address); !slices.Equal(got, c.want) {
			t.Errorf("%s %v: %q, want %q", c.system, c.env, got, c.want)
		}
	}
}
