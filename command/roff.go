//go:build !js

package command

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// manPage renders the help of a command as a man page, without values that depend on this machine. It writes
// roff directly. A library that uses Markdown would misread characters such as the * of part-*.csv and add 0.25
// MB.
func manPage(cmd *cobra.Command) []byte {
	cmd.InitDefaultHelpCmd()
	cmd.InitDefaultHelpFlag()
	if f := cmd.Flags().Lookup("threads"); f != nil {
		f.DefValue = "processors"
	}
	name := dashed(cmd)
	var b bytes.Buffer
	// HY, set before the title, prevents hyphenation of names.
	fmt.Fprintf(&b, ".nr HY 0\n.TH \"%s\" \"1\" \"\" \"polydag\" \"polydag\"\n", strings.ToUpper(name))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roffWord(name), roffWord(cmd.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n\\fB%s\\fP\n", roffWord(cmd.UseLine()))
	long := cmd.Long
	if long == "" {
		long = cmd.Short
	}
	b.WriteString(".SH DESCRIPTION\n")
	roffText(&b, long)
	roffFlags(&b, "OPTIONS", cmd.NonInheritedFlags(), false)
	roffFlags(&b, "SETTINGS", cmd.NonInheritedFlags(), true)
	roffFlags(&b, "OPTIONS INHERITED FROM PARENT COMMANDS", cmd.InheritedFlags(), false)
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

// hasPage reports whether a command has a man page.
func hasPage(cmd *cobra.Command) bool {
	return cmd.IsAvailableCommand() && !cmd.IsAdditionalHelpTopicCommand()
}

// dashed returns the name of a command's page: polydag-dataset-list.
func dashed(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// roffFlags writes each flag, or each setting, with its default and its help.
func roffFlags(b *bytes.Buffer, title string, flags *pflag.FlagSet, settings bool) {
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Deprecated != "" || isSetting(f.Name) != settings {
			return
		}
		if title != "" {
			fmt.Fprintf(b, ".SH %s\n", title)
			title = ""
		}
		value := "=" + f.DefValue
		if f.Value.Type() == "string" {
			value = fmt.Sprintf("=%q", f.DefValue)
		}
		if f.NoOptDefVal != "" { // the value is optional
			value = "[" + value + "]"
		}
		b.WriteString(".TP\n")
		if f.Shorthand != "" && f.ShorthandDeprecated == "" {
			fmt.Fprintf(b, "\\fB\\-%s\\fP, ", f.Shorthand)
		}
		fmt.Fprintf(b, "\\fB%s\\fP%s\n", roffWord(spelled(f.Name)), roffWord(value))
		roffText(b, f.Usage)
	})
}

// roffText writes paragraphs, separated by empty lines. Lines that begin with a space, such as examples and
// tables, are kept unchanged.
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

// roffLine escapes a line that would otherwise be a roff request because it begins with a full stop or an
// apostrophe.
func roffLine(s string) string {
	s = roffWord(s)
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		return `\&` + s
	}
	return s
}

var roffSigns = strings.NewReplacer(`\`, `\e`, "-", `\-`)

// roffWord escapes special characters of roff. It writes hyphens so that they can be copied to a shell.
func roffWord(s string) string { return roffSigns.Replace(s) }
