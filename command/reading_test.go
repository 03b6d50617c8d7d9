package command

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab"
)

// TestMaxMemoryBindsReaders checks that --max-memory also limits readers.
func TestMaxMemoryBindsReaders(t *testing.T) {
	for _, c := range []struct {
		flag string
		want int64
	}{{"300M", 300 << 20}, {"10", 1 << 20}, {"8G", 8 << 30}} {
		f := pflag.NewFlagSet("", pflag.ContinueOnError)
		f.Var(new(bytesFlag), maxMemory, "")
		r := newReading(newApp(lab.All, strings.NewReader(""), io.Discard, io.Discard, allWings...), f)
		must.Succeed(t, f.Parse([]string{"--max-memory", c.flag}))
		must.Succeed(t, r.check(1))
		must.Same(t, r.options.MaxMemory, c.want, c.flag)
	}
}

// TestKindOfAnExcludedColumn checks that --kind refuses a column that is not in the graph, and not one whose name starts with the name of an
// excluded column.
func TestKindOfAnExcludedColumn(t *testing.T) {
	text := "id,id2,x\n"
	for i := range 60 {
		text += fmt.Sprintf("row%d,%d,%d\n", i, i%3, i*i%7)
	}
	data := filepath.Join(t.TempDir(), "t.csv")
	must.Succeed(t, os.WriteFile(data, []byte(text), 0o600))
	if _, errs := run(t, exitUsage, "learn", data, "--kind", "id=categorical"); !strings.Contains(errs, "column id is excluded (identifier") || !strings.Contains(errs, "--keep id") {
		t.Error(errs)
	}
	run(t, exitOK, "learn", data, "--kind", "id2=categorical")
}

// TestMomentsOfParts checks that settings that need all rows are refused for several tables, and none of them for one.
func TestMomentsOfParts(t *testing.T) {
	for flag, set := range map[string]func(*polydag.Preparation){
		"--set discretize":     func(p *polydag.Preparation) { p.Discretize = 3 },
		"--set normal-scores":  func(p *polydag.Preparation) { p.NormalScores = true },
		"--set encode=ordinal": func(p *polydag.Preparation) { p.Encode = dataset.EncodeOrdinal },
		"--missing pairwise":   func(p *polydag.Preparation) { p.Missing = dataset.MissingPairwise },
	} {
		opt := polydag.DefaultPreparation()
		if err := separable(opt, 2); err != nil {
			t.Error(err)
		}
		set(&opt)
		if err := separable(opt, 1); err != nil {
			t.Errorf("%s of one table: %v", flag, err)
		}
		if err := separable(opt, 2); err == nil || !strings.HasPrefix(err.Error(), flag+" depends on all rows") {
			t.Errorf("%s of two tables: %v", flag, err)
		}
	}
}
