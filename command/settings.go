package command

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/param"
)

// settings are the flags of a command that learns, and the resulting configuration. Every setting of every
// method is a pflag, derived from the description of the method; flagNames has those that are given without --set.
type settings struct {
	cfg    polydag.Config
	method string
	know   knowledgeFlags
	names  namesFlag
	flags  *pflag.FlagSet
	given  map[string]*methodFlag
}

func newSettings(f *pflag.FlagSet, list polydag.MethodList, threads int) *settings {
	s := &settings{cfg: list.Config(), flags: f, given: map[string]*methodFlag{}}
	c := &s.cfg
	c.Threads = threads
	methods := list.All()
	s.method = c.Method.Info().Name

	f.StringVar(&s.method, "method", s.method, "learning algorithm: "+strings.Join(methodNames(methods), ", ")+"; polydag methods describes them")
	f.BoolVar(&c.Standardize, "standardize", c.Standardize, "standardize the columns first; matters only for methods that depend on units")
	f.StringVar((*string)(&c.CheckScale), "check-scale", string(c.CheckScale), "repeat the run in other units and compare: auto (if the method depends on units), always or never")
	f.Uint64Var(&c.Seed, "seed", c.Seed, "random seed")
	f.IntVar(&c.Threads, "threads", c.Threads, "number of threads; does not change the result")

	s.know.bind(f)
	s.names.bind(f)

	for _, m := range methods {
		for _, it := range param.Of(m).Items() {
			s.describe(m.Info().Name, it)
		}
	}
	for name, flag := range s.given {
		f.Lookup(name).Usage = flag.usage(len(methods))
	}
	s.show() // polydag methods NAME shows the settings of the others
	return s
}

// show makes the flags of the chosen method visible, with its defaults, and hides the others.
func (s *settings) show() {
	for name, flag := range s.given {
		fl := s.flags.Lookup(name)
		i := slices.Index(flag.methods, s.method)
		fl.Hidden = i < 0
		if i >= 0 && !fl.Changed {
			flag.text = flag.defaults[i]
		}
	}
}

// describe adds a setting of a method to the flags, or adds the method to a shared flag.
func (s *settings) describe(of string, it *param.Item) {
	flag, ok := s.given[it.Name]
	if !ok {
		flag = &methodFlag{item: it, text: it.Default}
		s.given[it.Name] = flag
		fl := s.flags.VarPF(flag, it.Name, "", it.Help)
		if it.Type == param.Switch {
			fl.NoOptDefVal = "true"
		}
	}
	flag.methods = append(flag.methods, of)
	flag.defaults = append(flag.defaults, it.Default)
}

// methodFlag is the text of a setting of one or several methods. The method parses it.
type methodFlag struct {
	item     *param.Item
	text     string
	methods  []string
	defaults []string // one per method
}

func (v *methodFlag) String() string     { return v.text }
func (v *methodFlag) Type() string       { return string(v.item.Type) }
func (v *methodFlag) Set(s string) error { v.text = s; return nil }

// usage returns the help of the setting, the methods that have it if they are few, and the defaults that
// differ.
func (v *methodFlag) usage(all int) string {
	text := v.item.Help
	if v.item.Type == param.Choice && !strings.Contains(text, v.item.Choices[0]) {
		text += ": " + strings.Join(v.item.Choices, ", ")
	}
	if len(v.methods) < all && len(v.methods) <= 3 {
		text += "; with " + strings.Join(v.methods, ", ")
	}
	var others []string
	for i, d := range v.defaults {
		if d != v.defaults[0] {
			others = append(others, v.methods[i]+": "+d)
		}
	}
	if len(others) > 0 {
		text += "; other defaults: " + strings.Join(others, ", ")
	}
	return text
}

func methodNames(methods []method.Method) []string {
	names := make([]string, len(methods))
	for i, m := range methods {
		names[i] = m.Info().Name
	}
	return names
}

// remark reports the given flags that the method does not use.
func (s *settings) remark(screen *console) {
	set := param.Of(s.cfg.Method)
	s.flags.Visit(func(f *pflag.Flag) {
		if flag, ok := s.given[f.Name]; ok {
			switch it := set.Lookup(f.Name); {
			case it == nil:
				word := "methods"
				if len(flag.methods) == 1 {
					word = "method"
				}
				screen.note(fmt.Sprintf("%s has no effect with --method %s; it is a setting of the %s %s", spelled(f.Name), s.method, word, strings.Join(flag.methods, ", ")))
			case !it.Used():
				screen.note(fmt.Sprintf("%s has no effect with the other settings of --method %s", spelled(f.Name), s.method))
			}
		}
	})
}

// resolve returns the configuration. It reports all errors at once.
func (s *settings) resolve() (polydag.Config, error) {
	c := &s.cfg
	c.Threads = min(c.Threads, runtime.NumCPU()) // more threads than processors only wait
	var err error
	if c.Method, err = c.Methods.Find(s.method); err != nil {
		c.Method = c.Methods.All()[0]
		return *c, err
	}
	set := param.Of(c.Method)
	var faults []error
	s.flags.Visit(func(f *pflag.Flag) {
		if flag, ok := s.given[f.Name]; ok && set.Lookup(f.Name) != nil {
			if err := set.Set(f.Name, flag.text); err != nil {
				faults = append(faults, usageError{err})
			}
		}
	})
	c.Names = s.names.config()
	faults = append(faults, s.names.check())
	set.Finish() // sets defaults that depend on given settings; Validate checks the bounds
	if c.Knowledge, err = s.know.spec(); err != nil {
		faults = append(faults, err)
	}
	return *c, errors.Join(append(faults, c.Validate())...)
}
