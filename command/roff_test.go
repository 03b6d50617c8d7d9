package command

import (
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/polydag/polydag/lab"
)

// shownByMan returns the text of a page without requests and escapes, by section, as man shows it except for
// line breaks.
func shownByMan(t *testing.T, page string) map[string]string {
	t.Helper()
	sections, at := map[string]string{}, ""
	for line := range strings.Lines(page) {
		line = strings.TrimSuffix(line, "\n")
		if title, ok := strings.CutPrefix(line, ".SH "); ok {
			at = title
			continue
		}
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			request, words, _ := strings.Cut(line, " ")
			if !slices.Contains([]string{".nr", ".TH", ".PP", ".TP", ".EX", ".EE", ".BR"}, request) {
				t.Errorf("%q is no request", line)
			}
			if request != ".BR" {
				continue
			}
			line = strings.Replace(words, " ", "", 1)
		}
		line = strings.NewReplacer(`\&`, "", `\fB`, "", `\fP`, "", `\-`, "-", `\e`, `\`).Replace(line)
		sections[at] += line + "\n"
	}
	return sections
}

func sameWords(a, b string) bool { return slices.Equal(strings.Fields(a), strings.Fields(b)) }

// TestManualPagesSayWhatHelpSays checks that every command has a page with the complete text of --help.
func TestManualPagesSayWhatHelpSays(t *testing.T) {
	pages := 0
	var look func(cmd *cobra.Command)
	look = func(cmd *cobra.Command) {
		pages++
		page := shownByMan(t, string(manPage(cmd)))
		for section, want := range map[string]string{
			"NAME": dashed(cmd) + " - " + cmd.Short, "SYNOPSIS": cmd.UseLine(), "DESCRIPTION": cmd.Long, "EXAMPLE": cmd.Example,
		} {
			if want != "" && !sameWords(page[section], want) {
				t.Errorf("%s: %s is\n%s\nwant\n%s", cmd.CommandPath(), section, page[section], want)
			}
		}
		options := strings.Join(strings.Fields(page["OPTIONS"]+page["SETTINGS"]+page["OPTIONS INHERITED FROM PARENT COMMANDS"]), " ")
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if usage := strings.Join(strings.Fields(f.Usage), " "); !f.Hidden && (!strings.Contains(options, spelled(f.Name)) || !strings.Contains(options, usage)) {
				t.Errorf("%s: the page has no %s, or not what it does", cmd.CommandPath(), spelled(f.Name))
			}
		})
		for _, sub := range cmd.Commands() {
			if hasPage(sub) {
				if !regexp.MustCompile(regexp.QuoteMeta(dashed(sub)) + `\(1\)`).MatchString(page["SEE ALSO"]) {
					t.Errorf("%s does not name %s", cmd.CommandPath(), dashed(sub))
				}
				look(sub)
			}
		}
	}
	look(newApp(lab.All, strings.NewReader(""), io.Discard, io.Discard, allWings...).root())
	if pages < 30 {
		t.Errorf("there are %d pages", pages)
	}
}

// TestManualPagesKeepSigns checks that characters with a meaning in roff or Markdown are shown unchanged.
func TestManualPagesKeepSigns(t *testing.T) {
	cmd := &cobra.Command{Use: "odd", Short: `a \ b`, Run: func(*cobra.Command, []string) {}, Long: `.first line
'second line, *stars* and a_b_c

  kept  as
  .it is

and part-*.csv`}
	page := string(manPage(cmd))
	want := ".SH DESCRIPTION\n\\&.first line\n\\&'second line, *stars* and a_b_c\n.PP\n.EX\n  kept  as\n  .it is\n.EE\n.PP\nand part\\-*.csv\n"
	if !strings.Contains(page, want) || !strings.Contains(page, `a \e b`) {
		t.Errorf("the page is\n%s\nwant in it\n%s", page, want)
	}
}
