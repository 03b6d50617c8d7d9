package liberation_test

import (
	"strings"
	"testing"

	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"

	"github.com/polydag/polydag/internal/liberation"
	"github.com/polydag/polydag/internal/must"
)

// TestFontsAreWhatTheirNamesSay checks that each file is a readable font with the name of the file.
func TestFontsAreWhatTheirNamesSay(t *testing.T) {
	for _, family := range []liberation.Family{liberation.Sans, liberation.Serif, liberation.Mono} {
		regular, bold, err := family.TTF()
		must.Succeed(t, err)
		for weight, ttf := range map[string][]byte{"Regular": regular, "Bold": bold} {
			f, err := opentype.Parse(ttf)
			if err != nil {
				t.Fatalf("%s %s: %v", family, weight, err)
			}
			for id, want := range map[sfnt.NameID]string{sfnt.NameIDFamily: "Liberation " + string(family), sfnt.NameIDSubfamily: weight} {
				if got, err := f.Name(nil, id); err != nil || got != want {
					t.Errorf("%s %s: the font says %q, %v, want %q", family, weight, got, err, want)
				}
			}
		}
	}
}

func TestUnknownFamily(t *testing.T) {
	if _, _, err := liberation.Family("Comic").TTF(); err == nil || !strings.Contains(err.Error(), "Sans, Serif and Mono") {
		t.Errorf("got %v, want an error that names the families", err)
	}
}
