package command

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"go.yaml.in/yaml/v3"

	"github.com/polydag/polydag/internal/names"
)

// envPrefix is the prefix of settings in the environment: --log-format is POLYDAG_LOG_FORMAT. Settings come
// from flags, then from the file of --config, then from the environment; an earlier source takes precedence. In
// the file a setting has the name of its flag.
const envPrefix = "POLYDAG_"

// notSettingsOfEnv are variables that are not settings: the location of test data, variables of the Python and R
// packages, and the key of a server, which no configuration file may hold.
var notSettingsOfEnv = []string{"POLYDAG_DATA", envParent, envBinary, envGPU, envAskKey}

// envGPU is the environment variable with the path of the program for a GPU.
const envGPU = "POLYDAG_CUDA"

// envAskKey is the environment variable with the key of the server of a language model.
const envAskKey = "POLYDAG_ASK_KEY"

// sources are the sources of the settings of one command.
type sources struct {
	file  string
	print bool
	show  func()            // decides which flags are printed, after all are set; may be nil
	from  map[string]string // flag name to source, for flags from the file or the environment
}

// configurable adds --config and --print-config to a command. Call it after all other flags and RunE are set.
func (a *app) configurable(cmd *cobra.Command) {
	s := &sources{from: map[string]string{}}
	if a.sources == nil {
		a.sources = map[*cobra.Command]*sources{}
	}
	a.sources[cmd] = s
	f := cmd.Flags()
	f.StringVar(&s.file, "config", "", "YAML file with settings named like the flags; flags take precedence")
	f.BoolVar(&s.print, "print-config", false, "print the settings as a YAML file and exit")
	args, run := cmd.Args, cmd.RunE
	cmd.Args = func(cmd *cobra.Command, given []string) error {
		if s.print {
			return nil
		}
		return args(cmd, given)
	}
	cmd.RunE = func(cmd *cobra.Command, given []string) error {
		if s.print {
			return a.data(cmd.Context(), "-", func(w io.Writer) error { return s.write(w, cmd) })
		}
		return run(cmd, given)
	}
}

// notSettings are flags that select an action and are not settings.
var notSettings = []string{"set", "config", "print-config", "help", helpAll}

// apply sets the flags that the command line did not set from the file and the environment.
func (s *sources) apply(cmd *cobra.Command, environ []string, every func(root *cobra.Command) []string) error {
	f := cmd.Flags()
	given := map[string]bool{}
	f.Visit(func(fl *pflag.Flag) { given[fl.Name] = true })
	if s.file != "" {
		if err := s.applyFile(f, given); err != nil {
			return err
		}
	}
	return s.applyEnv(cmd, given, environ, every)
}

func (s *sources) applyFile(f *pflag.FlagSet, given map[string]bool) error {
	text, err := os.ReadFile(s.file)
	if err != nil {
		return fmt.Errorf("cannot read %s: %w; check the path and its permissions", s.file, Cause(err))
	}
	var doc yaml.Node
	dec := yaml.NewDecoder(bytes.NewReader(text))
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF): // only comments
		return nil
	case err != nil:
		return usagef("%s: not YAML: %w", s.file, err)
	}
	if err := dec.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return usagef("%s: more than one document; keep the first", s.file)
	}
	top := doc.Content[0]
	if top.Kind != yaml.MappingNode {
		return usagef("%s: line %d: want settings as name: value, one per line", s.file, top.Line)
	}
	seen := map[string]bool{}
	for i := 0; i < len(top.Content); i += 2 {
		key, value := top.Content[i], top.Content[i+1]
		name := key.Value
		at := fmt.Sprintf("%s: line %d", s.file, key.Line)
		fl := f.Lookup(name)
		if fl == nil || slices.Contains(notSettings, name) {
			return usagef("%s: unknown setting %q%s", at, name, didYouMean(name, settingNames(f)))
		}
		if name = fl.Name; seen[name] {
			return usagef("%s: %s is set twice; keep one", at, name)
		}
		seen[name] = true
		if given[name] {
			continue
		}
		values, err := scalars(value)
		if err != nil {
			return usagef("%s: %s: %w", at, name, err)
		}
		if fl.Value.Type() != "stringArray" && len(values) != 1 {
			return usagef("%s: %s takes one value, got a list of %d", at, name, len(values))
		}
		for _, v := range values {
			if err := f.Set(name, v); err != nil {
				return usagef("%s: %w", at, flagError(err))
			}
		}
		given[name] = true
		s.from[name] = s.file
	}
	return nil
}

// scalars returns the texts of a scalar or of a list of scalars.
func scalars(n *yaml.Node) ([]string, error) {
	switch n.Kind {
	case yaml.ScalarNode:
		if n.Tag == "!!null" {
			return nil, errors.New("has no value; give one or take the line out")
		}
		return []string{n.Value}, nil
	case yaml.SequenceNode:
		var out []string
		for _, c := range n.Content {
			if c.Kind != yaml.ScalarNode {
				return nil, errors.New("want a list of plain values")
			}
			out = append(out, c.Value)
		}
		return out, nil
	}
	return nil, errors.New("want a value or a list of values")
}

func (s *sources) applyEnv(cmd *cobra.Command, given map[string]bool, environ []string, every func(root *cobra.Command) []string) error {
	f := cmd.Flags()
	for _, entry := range environ {
		key, value, _ := strings.Cut(entry, "=")
		name, ours := strings.CutPrefix(key, envPrefix)
		if !ours || slices.Contains(notSettingsOfEnv, key) || value == "" {
			continue
		}
		name = strings.ReplaceAll(strings.ToLower(name), "_", "-")
		fl := f.Lookup(name)
		if fl == nil || slices.Contains(notSettings, name) {
			if all := every(cmd.Root()); !slices.Contains(all, name) {
				for i, known := range all {
					all[i] = envPrefix + strings.ReplaceAll(strings.ToUpper(known), "-", "_")
				}
				return usagef("the environment sets %s, which no command knows%s", key, didYouMean(key, all))
			}
			continue // a flag of another command
		}
		if name = fl.Name; given[name] {
			continue
		}
		if err := f.Set(name, value); err != nil {
			return usagef("the environment sets %s: %w", key, flagError(err))
		}
		s.from[name] = "the environment"
	}
	return nil
}

func settingNames(f *pflag.FlagSet) []string {
	var names []string
	f.VisitAll(func(fl *pflag.Flag) {
		if !slices.Contains(notSettings, fl.Name) {
			names = append(names, fl.Name)
		}
	})
	return names
}

func everySetting(cmd *cobra.Command) []string {
	names := settingNames(cmd.LocalFlags())
	for _, sub := range cmd.Commands() {
		names = append(names, everySetting(sub)...)
	}
	return names
}

// didYouMean ends the error for an unknown command or setting.
func didYouMean(name string, known []string) string {
	return nearest(name, known, "see --help for the names")
}

// nearColumn ends the error for an unknown column.
func nearColumn(name string, columns []string) string {
	return nearest(name, columns, "the columns are "+names.List(columns, 8))
}

// nearest suggests the known name that is similar to a name; without one it returns the other advice.
func nearest(name string, known []string, otherwise string) string {
	if near, ok := names.Nearest(name, false, known); ok {
		return fmt.Sprintf("; did you mean %s?", near)
	}
	return "; " + otherwise
}

// write prints the settings as a file for --config: set ones as values, the others as comments.
func (s *sources) write(w io.Writer, cmd *cobra.Command) error {
	if s.show != nil {
		s.show()
	}
	fmt.Fprintf(w, "# Settings of %s. What begins with # is at its default.\n", cmd.CommandPath())
	var err error
	cmd.Flags().VisitAll(func(fl *pflag.Flag) {
		if slices.Contains(notSettings, fl.Name) || fl.Hidden && !fl.Changed || err != nil {
			return
		}
		var value any = fl.Value.String()
		if list, ok := fl.Value.(pflag.SliceValue); ok {
			value = list.GetSlice()
		}
		var text []byte
		if text, err = yaml.Marshal(map[string]any{fl.Name: value}); err != nil {
			return
		}
		if fl.Value.Type() != "string" && fl.Value.Type() != "stringArray" {
			text = []byte(fl.Name + ": " + fl.Value.String() + "\n")
		}
		fmt.Fprintf(w, "\n# %s\n", fl.Usage)
		if from := s.from[fl.Name]; from != "" {
			fmt.Fprintf(w, "# set by %s\n", from)
		}
		if !fl.Changed {
			text = append([]byte("# "), bytes.ReplaceAll(bytes.TrimRight(text, "\n"), []byte("\n"), []byte("\n# "))...)
			text = append(text, '\n')
		}
		_, err = w.Write(text)
	})
	return err
}
