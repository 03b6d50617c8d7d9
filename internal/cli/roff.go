//go:build !js

package cli

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// manPage renders what --help prints of a command as a page for man, without the day and the processors of this machine. It writes
// roff itself: a library that goes through Markdown takes signs such as the * of part-*.csv for marks, and is 0.25 MB of the program.
func manPage(cmd *cobra.Command) []byte {
	cmd.InitDefaultHelpCmd()
	cmd.InitDefaultHelpFlag()
	if f := cmd.Flags().Lookup("threads"); f != nil {
		f.DefValue = "processors"
	}
	name := dashed(cmd)
	var b bytes.Buffer
	// HY, set before the title, keeps names from being broken at syllables.
	fmt.Fprintf(&b, ".nr HY 0\n.TH \"%s\" \"1\" \"\" \"polydag\" \"polydag\"\n", strings.ToUpper(name))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roffWord(name), roffWord(cmd.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n\\fB%s\\fP\n", roffWord(cmd.UseLine()))
	long := cmd.Long
	if long == "" {
		long = cmd.Short
	}
	b.WriteString(".SH DESCRIPTION\n")
	roffText(&b, long)
	roffFlags(&b, "OPTIONS", cmd.NonInheritedFlags())
	roffFlags(&b, "OPTIONS INHERITED FROM PARENT COMMANDS", cmd.InheritedFlags())
	if cmd.Example != "" {
		b.WriteString(".SH EXAMPLE\n.EX\n")
		for line := range strings.Lines(cmd.Example) {
			b.WriteString(roffLine(strings.TrimSuffix(line, "\n")) + "\n")
		}
		b.WriteString(".EE\n")
	}
	var also []string
	if cmd.HasParent() {
		also = append(also, dashed(cmd.Parent()))
	}
	for _, sub := range cmd.Commands() {
		if hasPage(sub) {
			also = append(also, dashed(sub))
		}
	}
	if len(also) > 0 {
		b.WriteString(".SH SEE ALSO\n")
		for i, page := range also {
			end := ","
			if i == len(also)-1 {
				end = ""
			}
			fmt.Fprintf(&b, ".BR %s (1)%s\n", roffWord(page), end)
		}
	}
	return b.Bytes()
}

// hasPage says whether a command is one that people call.
func hasPage(cmd *cobra.Command) bool {
	return cmd.IsAvailableCommand() && !cmd.IsAdditionalHelpTopicCommand()
}

// dashed is the name of a command's page: polydag-dataset-list.
func dashed(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// roffFlags writes each flag with its default and below it what it does.
func roffFlags(b *bytes.Buffer, title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	fmt.Fprintf(b, ".SH %s\n", title)
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Deprecated != "" {
			return
		}
		value := "=" + f.DefValue
		if f.Value.Type() == "string" {
			value = fmt.Sprintf("=%q", f.DefValue)
		}
		if f.NoOptDefVal != "" { // the value may be left out
			value = "[" + value + "]"
		}
		b.WriteString(".TP\n")
		if f.Shorthand != "" && f.ShorthandDeprecated == "" {
			fmt.Fprintf(b, "\\fB\\-%s\\fP, ", f.Shorthand)
		}
		fmt.Fprintf(b, "\\fB\\-\\-%s\\fP%s\n", roffWord(f.Name), roffWord(value))
		roffText(b, f.Usage)
	})
}

// roffText writes paragraphs, which empty lines part. Lines that begin with a space are kept as they are, as examples and tables are.
func roffText(b *bytes.Buffer, text string) {
	kept, parted := false, false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\n")
		indented := strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t")
		switch {
		case kept && !indented && line != "":
			b.WriteString(".EE\n")
			kept = false
		case !kept && indented:
			b.WriteString(".PP\n.EX\n")
			kept, parted = true, false
		}
		if line == "" {
			parted = true
			continue
		}
		if parted {
			if kept {
				b.WriteString("\n")
			} else {
				b.WriteString(".PP\n")
			}
			parted = false
		}
		b.WriteString(roffLine(line) + "\n")
	}
	if kept {
		b.WriteString(".EE\n")
	}
}

// roffLine is a line of text that is no request: one that begins with a full stop or an apostrophe would be.
func roffLine(s string) string {
	s = roffWord(s)
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		return `\&` + s
	}
	return s
}

var roffSigns = strings.NewReplacer(`\`, `\e`, "-", `\-`)

// roffWord escapes the signs that roff would take for something else. A hyphen is written as the sign that can be copied to a shell.
func roffWord(s string) string { return roffSigns.Replace(s) }
