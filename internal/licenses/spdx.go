package licenses

import "strings"

// several are the SPDX expressions of works with more than one licence, as their texts state them. OR is the
// user's choice, AND means that parts of the work differ. Texts about parts that are not linked into the
// command, such as the test suite of SQLite, are ignored.
var several = map[string]string{
	"Liberation fonts":              "OFL-1.1",
	"github.com/ajstarks/svgo":      "CC-BY-4.0",
	"github.com/golang/freetype":    "FTL OR GPL-2.0-or-later",
	"github.com/klauspost/compress": "BSD-3-Clause AND Apache-2.0 AND MIT",
	"go.yaml.in/yaml/v3":            "MIT AND Apache-2.0",
	"wasi-libc":                     "(Apache-2.0 WITH LLVM-exception OR Apache-2.0 OR MIT) AND CC0-1.0 AND BSD-2-Clause AND MIT",
}

// phrases are phrases of each licence text, without line ends.
var phrases = []struct{ id, phrase string }{
	{"Apache-2.0", "Apache License Version 2.0"},
	{"EPL-1.0", "Eclipse Public License - v 1.0"},
	{"BSD-3-Clause", "Neither the name"},
	{"MIT", "Permission is hereby granted, free of charge"},
}

// SPDX returns the licence of the work as an SPDX 2.3 expression, or "" if its texts are unknown. Reference:
// https://spdx.org/licenses/.
func (w Work) SPDX() string {
	if s := several[w.Name]; s != "" {
		return s
	}
	found := ""
	for _, t := range w.Texts {
		if t.additional() {
			continue
		}
		text := strings.Join(strings.Fields(t.Text), " ")
		for _, p := range phrases {
			if strings.Contains(text, p.phrase) {
				if found != "" && found != p.id {
					return "" // it belongs into the list of several
				}
				found = p.id
			}
		}
	}
	return found
}

// additional reports whether a text accompanies a licence but is not one.
func (t Text) additional() bool {
	return strings.HasPrefix(t.File, "PATENTS") || strings.HasPrefix(t.File, "NOTICE") || t.File == "SOURCE"
}
