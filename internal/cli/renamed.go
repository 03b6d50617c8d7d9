package cli

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// renamed maps the old names of flags to their names. An old name works on the command line, in --config, in the environment and
// in the results of earlier versions, and no help shows it.
var renamed = map[string]string{"regimes": "environment", "clusters": "groups", "min-strength": "min-gain", "preflight": "data-checks"}

// renamedIn has the old names of flags that one command alone has.
var renamedIn = map[string]map[string]string{
	"simulate": {"regimes": "environments", "regime-changes": "environment-changes", "rows": "samples"},
}

// flagName returns the name of a reading flag that may have its old name.
func flagName(name string) string {
	if now, ok := renamed[name]; ok {
		return now
	}
	return name
}

// acceptOldNames makes every command accept the old names of its flags.
func acceptOldNames(root *cobra.Command) {
	for _, c := range root.Commands() {
		names, ok := renamedIn[c.Name()]
		if !ok {
			names = renamed
		}
		c.Flags().SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
			if now, ok := names[name]; ok {
				name = now
			}
			return pflag.NormalizedName(name)
		})
	}
}
