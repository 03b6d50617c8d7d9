package study

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"
)

// LaTeX writes the table as a table environment with the rules of package booktabs. Mathematical signs need no other
// package.
func (t *TextTable) LaTeX(w io.Writer) error {
	var b strings.Builder
	columns := ""
	for k := range t.Header {
		columns += t.align(k)
	}
	fmt.Fprintf(&b, "%% Written by polydag reproduce. Needs \\usepackage{booktabs}.\n\\begin{table}\n  \\centering\n")
	if title := t.Title; title != "" {
		fmt.Fprintf(&b, "  \\caption{%s}\n", latex(title+"."))
	}
	fmt.Fprintf(&b, "  \\label{tab:%s}\n  \\begin{tabular}{%s}\n    \\toprule\n", t.Name, columns)
	line := func(cells []string) {
		out := make([]string, len(cells))
		for i, c := range cells {
			out[i] = latex(c)
		}
		fmt.Fprintf(&b, "    %s \\\\\n", strings.Join(out, " & "))
	}
	line(t.Header)
	b.WriteString("    \\midrule\n")
	for _, r := range t.Rows {
		line(r)
	}
	b.WriteString("    \\bottomrule\n  \\end{tabular}\n")
	for _, n := range t.Notes {
		fmt.Fprintf(&b, "\n  %s\n", latex(n))
	}
	b.WriteString("\\end{table}\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// align returns r for a column whose cells all begin as numbers do, or with a dash, and otherwise l.
func (t *TextTable) align(column int) string {
	for _, r := range t.Rows {
		first, _ := utf8.DecodeRuneInString(strings.TrimLeft(r[column], "*"))
		if !strings.ContainsRune("0123456789-–−", first) {
			return "l"
		}
	}
	return "r"
}

var (
	bold    = regexp.MustCompile(`\*\*(.*?)\*\*`)
	indexed = regexp.MustCompile(`\b(h)_(exp|geo|poly)\b|h\(W_τ\)`)
	special = strings.NewReplacer(
		`\`, `\textbackslash{}`, "{", `\{`, "}", `\}`, "&", `\&`, "%", `\%`, "$", `\$`, "#", `\#`, "_", `\_`, "~", `\textasciitilde{}`, "^", `\textasciicircum{}`,
		"±", `$\pm$`, "−", "$-$", "–", "--", "→", `$\rightarrow$`, "↔", `$\leftrightarrow$`, "×", `$\times$`, "²", "$^2$", "∘", `$\circ$`, "ρ", `$\rho$`, "τ", `$\tau$`,
		"≥", `$\ge$`, "≤", `$\le$`, "…", `\dots{}`, "|", `\textbar{}`,
	)
)

// latex escapes a text, sets **bold** words and the symbols of constraints.
func latex(s string) string {
	s = indexed.ReplaceAllStringFunc(s, func(m string) string {
		if m == "h(W_τ)" {
			return "\x00h(W_\x02)\x00"
		}
		return "\x00h_\x01" + m[2:] + "\x03\x00"
	})
	parts := strings.Split(s, "\x00") // every other part is mathematics
	for i, p := range parts {
		if i%2 == 0 {
			parts[i] = special.Replace(p)
		} else {
			parts[i] = "$" + strings.NewReplacer("\x01", `{\mathrm{`, "\x02", `\tau`, "\x03", "}}").Replace(p) + "$"
		}
	}
	return bold.ReplaceAllString(strings.Join(parts, ""), `\textbf{$1}`)
}
