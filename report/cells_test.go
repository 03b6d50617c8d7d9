package report

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// TestProbability checks that a probability is not shown as 1 or as the level of a verdict, 0.8, if it is below.
func TestProbability(t *testing.T) {
	for p, want := range map[float64]string{
		0: "0.00", 0.5: "0.50", 0.794: "0.79", 0.796: "0.79", 0.7999: "0.79", 0.8: "0.80", 0.806: "0.81", 0.994: "0.99", 0.996: ">0.99", 0.9999: ">0.99", 1: "1.00",
	} {
		must.Same(t, probability(p), want, p)
	}
}

// TestShorten checks that a name with more characters than allowed gets exactly that number, three eighths of them from its end.
func TestShorten(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"12345678", "12345678"}, {"123456789", "1234…789"}, {"äöüäöüäöü", "äöüä…äöü"},
	} {
		must.Same(t, shorten(c.name, 8), c.want, c.name)
	}
	for level, want := range map[string]string{"1234567890123456": "1234567890123456", "12345678901234567": "123456789012345…"} {
		must.Same(t, tight(level), want, level)
	}
}

// TestEnds checks that a list of more than 200 names keeps the first 12 and the last 8.
func TestEnds(t *testing.T) {
	var names []string
	for k := range 1221 {
		names = append(names, strconv.Itoa(k))
	}
	if got := ends(names[:200]); !slices.Equal(got, names[:200]) {
		t.Errorf("200 names: %q, want all of them", got)
	}
	for n, more := range map[int]string{201: "… 181 more …", 1221: "… 1,201 more …"} {
		want := append(append(slices.Clone(names[:12]), more), names[n-8:n]...)
		if got := ends(names[:n]); !slices.Equal(got, want) {
			t.Errorf("%d names: %q, want %q", n, got, want)
		}
	}
}

// TestThousands checks the separators.
func TestThousands(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 123456: "123,456", 1234567: "1,234,567"} {
		must.Same(t, thousands(n), want, n)
	}
}

// TestWrap checks that a line has at most the given width, that a longer word has a line of its own, and that the text ends after 12 lines.
func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{"ab cd", 5, "ab cd"},
		{"ab cd", 4, "ab\n  cd"},
		{"ab cdefgh ij", 4, "ab\n  cdefgh\n  ij"},
		{"äö üä", 5, "äö üä"},
		{"abcdefgh ij", 4, "abcdefgh\n  ij"},
		{strings.TrimSpace(strings.Repeat("abc ", 12)), 3, strings.TrimSuffix(strings.Repeat("abc\n  ", 12), "\n  ")},
		{strings.TrimSpace(strings.Repeat("abc ", 14)), 3, strings.TrimSuffix(strings.Repeat("abc\n  ", 12), "\n  ") + " … and 2 more"},
	} {
		must.Same(t, wrap(strings.Fields(c.text), " ", c.width, "  "), c.want, c.text, c.width)
	}
}

// TestPad checks that a text is filled to the width and that a longer one is unchanged.
func TestPad(t *testing.T) {
	for width, want := range map[int]string{5: "äöü  ", 3: "äöü", 2: "äöü"} {
		must.Same(t, pad("äöü", width), want, width)
	}
}

// TestRoomOfALine checks the space for text and for names in lines of a given width.
func TestRoomOfALine(t *testing.T) {
	for _, c := range []struct{ width, room, names int }{
		{0, 114, 48}, {100, 90, 45}, {106, 96, 48}, {110, 100, 48}, {31, 21, 10}, {30, 20, 10}, {29, 20, 9}, {26, 20, 8}, {12, 20, 8},
	} {
		p := &printer{width: c.width}
		must.Same(t, p.room(114, 10), c.room, c.width)
		must.Same(t, p.names(10, 2), c.names, c.width)
	}
}

// TestAligned checks that a cell of more than 32 characters shifts only its own line.
func TestAligned(t *testing.T) {
	var b strings.Builder
	p := &printer{w: &b}
	long := strings.Repeat("x", 33)
	p.aligned([][]string{{"from", "n"}, {long, "1"}, {"b", "22"}}, []bool{false, true})
	want := "  from" + strings.Repeat(" ", 28) + "   n\n  " + long + "   1\n  b" + strings.Repeat(" ", 31) + "  22\n"
	if b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}
