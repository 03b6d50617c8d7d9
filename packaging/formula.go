package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// formula writes polydag.rb for Homebrew, with the checksums of the archives for macOS and Linux that were built.
func (r *release) formula(archives []archive) error {
	var b strings.Builder
	fmt.Fprintf(&b, `class Polydag < Formula
  desc "Learns which variables of a table drive which"
  homepage %q
  version %q
  license "Apache-2.0"

`, homepage, r.version)
	for _, system := range []struct{ os, word string }{{"darwin", "macos"}, {"linux", "linux"}} {
		var parts strings.Builder
		for _, cpu := range []struct{ arch, word string }{{"arm64", "arm"}, {"amd64", "intel"}} {
			for _, a := range archives {
				if a.os == system.os && a.arch == cpu.arch {
					fmt.Fprintf(&parts, "    on_%s do\n      url \"%s/releases/download/v%s/%s\"\n      sha256 %q\n    end\n", cpu.word, homepage, r.version, a.file, a.sum)
				}
			}
		}
		if parts.Len() > 0 {
			fmt.Fprintf(&b, "  on_%s do\n%s  end\n\n", system.word, parts.String())
		}
	}
	b.WriteString(`  def install
    bin.install "polydag"
    man1.install Dir["man/man1/*.1"]
    bash_completion.install "completions/polydag.bash" => "polydag"
    zsh_completion.install "completions/_polydag"
    fish_completion.install "completions/polydag.fish"
    doc.install "NOTICE", "THIRD-PARTY-LICENSES.txt"
  end

  test do
    assert_match "polydag #{version}", shell_output("#{bin}/polydag version")
    system bin/"polydag", "demo", "--save", "demo.csv"
    system bin/"polydag", "learn", "demo.csv", "--output", "result.json"
  end
end
`)
	return os.WriteFile(filepath.Join(r.out, "polydag.rb"), []byte(b.String()), 0o644)
}
