package prepare

import (
	"math"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
)

// TestSettingsInRange checks both sides of each limit and the settings that exclude each other.
func TestSettingsInRange(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Settings)
		fault  string // "" for valid settings
	}{
		{"targets", func(o *Settings) { o.Targets = "k" }, ""},
		{"environments", func(o *Settings) { o.Environments = "k" }, ""},
		{"targets and environments", func(o *Settings) { o.Targets, o.Environments = "k", "l" }, "set one of them"},
		{"groups", func(o *Settings) { o.Groups = "k" }, ""},
		{"groups and targets", func(o *Settings) { o.Groups, o.Targets = "k", "l" }, "Groups with Targets"},
		{"groups and environments", func(o *Settings) { o.Groups, o.Environments = "k", "l" }, "Groups with Targets"},
		{"weights", func(o *Settings) { o.RowWeights = "w" }, ""},
		{"weights and targets", func(o *Settings) { o.RowWeights, o.Targets = "w", "k" }, "RowWeights cannot be combined"},
		{"weights and environments", func(o *Settings) { o.RowWeights, o.Environments = "w", "k" }, "RowWeights cannot be combined"},
		{"weights and groups", func(o *Settings) { o.RowWeights, o.Groups = "w", "k" }, "RowWeights cannot be combined"},
		{"weights and frequencies", func(o *Settings) { o.RowWeights, o.Frequencies = "w", "k" }, "RowWeights cannot be combined"},
		{"weights of complete rows", func(o *Settings) { o.RowWeights, o.Missing = "w", dataset.MissingDrop }, "RowWeights need"},
		{"weights of pairs", func(o *Settings) { o.RowWeights, o.Missing = "w", dataset.MissingPairwise }, "RowWeights need"},
		{"weights of incomplete rows", func(o *Settings) { o.RowWeights, o.Missing = "w", dataset.MissingAuto }, ""},
		{"lenient", func(o *Settings) { o.Lenient, o.Missing = true, dataset.MissingDrop }, ""},
		{"lenient with an error for missing values", func(o *Settings) { o.Lenient = true }, "Lenient needs"},
		{"means", func(o *Settings) { o.Missing = "mean" }, "Missing = \"mean\": " + NoMean},
		{"one class", func(o *Settings) { o.Discretize = 1 }, "Discretize = 1"},
		{"two classes", func(o *Settings) { o.Discretize = 2 }, ""},
		{"ten classes", func(o *Settings) { o.Discretize = 10 }, ""},
		{"eleven classes", func(o *Settings) { o.Discretize = 11 }, "Discretize = 11"},
		{"classes of scores", func(o *Settings) { o.Discretize, o.NormalScores = 3, true }, "Discretize and NormalScores"},
		{"scores", func(o *Settings) { o.NormalScores = true }, ""},
		{"one thread, level and column", func(o *Settings) { o.Threads, o.MaxLevels, o.MaxColumns, o.MaxMemory = 1, 1, 1, 0 }, ""},
	} {
		o := DefaultSettings()
		c.change(&o)
		if err := Validate(o); (err == nil) != (c.fault == "") || err != nil && !strings.Contains(err.Error(), c.fault) {
			t.Errorf("%s: %v, want %q", c.name, err, c.fault)
		}
	}
	for _, c := range []struct {
		o    Settings
		want bool
	}{{Settings{}, true}, {Settings{Targets: "k"}, false}, {Settings{Environments: "k"}, false}, {Settings{Groups: "k"}, false}} {
		if got := fills(c.o); got != c.want {
			t.Errorf("%+v: incomplete rows are kept: %v, want %v", c.o, got, c.want)
		}
	}
}

// TestRowsOfFrequenciesAndWeights checks which numbers repeat a row, leave it out, or are errors.
func TestRowsOfFrequenciesAndWeights(t *testing.T) {
	for _, c := range []struct {
		value             float64
		frequency, weight int // -1 for an error
	}{
		{0, 0, 0}, {1, 1, 1}, {3, 3, 1}, {0.5, -1, 1}, {-1, -1, -1}, {math.NaN(), -1, -1}, {math.Inf(1), -1, -1}, {mostFrequent, mostFrequent, 1}, {mostFrequent + 1, -1, 1},
	} {
		for k, by := range []func(float64) (int, error){byFrequency, byWeight} {
			want := []int{c.frequency, c.weight}[k]
			if got, err := by(c.value); (err != nil) != (want < 0) || err == nil && got != want {
				t.Errorf("%v as %s: %d rows, %v, want %d", c.value, []string{"frequency", "weight"}[k], got, err, want)
			}
		}
	}
}
