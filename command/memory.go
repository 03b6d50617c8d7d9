package command

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/internal/memory"
)

// bytesFlag is a number of bytes with a unit: 500M, 2G, 1.5GB, 1GiB.
type bytesFlag int64

func (b *bytesFlag) Type() string { return "bytes" }

func (b *bytesFlag) String() string {
	if *b == 0 {
		return "0"
	}
	return size(int64(*b))
}

func (b *bytesFlag) Set(s string) error {
	t := strings.ToUpper(strings.TrimSpace(s))
	t = strings.TrimSuffix(strings.TrimSuffix(t, "IB"), "B")
	unit := 1.0
	for i, u := range []string{"K", "M", "G", "T"} {
		if rest, ok := strings.CutSuffix(t, u); ok {
			t, unit = rest, math.Pow(1024, float64(i+1))
		}
	}
	v, err := strconv.ParseFloat(strings.TrimSpace(t), 64)
	if err != nil || !(v >= 0) || v*unit > 1<<60 {
		return fmt.Errorf("%q: want a number of bytes such as 500M or 2G", s)
	}
	*b = bytesFlag(v * unit)
	return nil
}

func size(b int64) string { return memory.Size(b) }

// leastWatched is the smallest heap that Watch is given: the program itself takes as much.
const leastWatched = 64 << 20

// limitMemory opens the account of a command: --max-memory, or the free memory. A command with that flag, or with a limit of addresses
// (ulimit -v), ends when its heap is larger. A server and a worker stop what they do instead.
func (a *app) limitMemory(cmd *cobra.Command) error {
	most := memoryLimit(cmd.Flags())
	stays := slices.Contains([]string{"serve", "worker"}, cmd.Name())
	works := stays || slices.Contains([]string{"learn", "use", "data"}, cmd.GroupID)
	left, limited := memory.Addresses()
	watch := limited || stays
	switch free, ok := memory.Available(); {
	case limited && left < leastWatched && works:
		return fmt.Errorf("the limit of addresses (ulimit -v) leaves %s for data, and polydag needs %s, because Go reserves addresses that it does not use; raise the limit by %d kB, or remove it and use --%s", size(left), size(leastWatched), 4*(leastWatched-left)/3>>10+1, maxMemory)
	case limited && (most == 0 || left < most):
		most = max(left, 1)
	case most > 0:
		watch = true
	case ok:
		most = max(free, 1)
	}
	a.account = memory.New(most)
	cmd.SetContext(a.account.Context(cmd.Context()))
	if a.exceeded == nil || !watch {
		return nil
	}
	go memory.Watch(cmd.Context(), max(most, leastWatched), func(used int64) {
		if stays {
			a.account.Stop(used)
			return
		}
		select {
		case a.exceeded <- used:
		default:
		}
	})
	return nil
}

// mostOf are the largest values of flags that count samples, which are listed before the first is drawn, and of similar flags. They are
// far beyond what adds precision.
var mostOf = map[string]int{
	"bootstrap": 100_000, "stability": 100_000, "replicates": 100_000, "random-graphs": 100_000, "calibrate": 1000, "splits": 10_000, "copies": 10_000,
	"horizon": 10_000, "season": 100_000, "threads": 4096, "jobs": 4096,
}

// countable returns a usage error for a count that is too large.
func countable(f *pflag.FlagSet) (fault error) {
	f.Visit(func(flag *pflag.Flag) {
		most, limited := mostOf[flag.Name]
		if n, err := strconv.Atoi(flag.Value.String()); limited && err == nil && n > most {
			fault = errors.Join(fault, usagef("%s%d: want at most %d", valued(flag.Name), n, most))
		}
	})
	return fault
}

const maxMemory = "max-memory"

// memoryLimit returns the value of --max-memory, or 0 for none.
func memoryLimit(f *pflag.FlagSet) int64 {
	if flag := f.Lookup(maxMemory); flag != nil {
		return int64(*flag.Value.(*bytesFlag))
	}
	return 0
}

// fits refuses work that would need more memory than the account has.
func fits(ctx context.Context, what string, need int64) error {
	return memory.Need(ctx, what, need, "choose fewer columns (%s, %s), or raise the limit with %s", fault.Use("columns"), fault.Use("drop"), fault.Use(maxMemory))
}
