package cli_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/cmd/wings"

	"github.com/spf13/cobra"

	"github.com/polydag/polydag/command"
	"github.com/polydag/polydag/images/provider"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab"
)

// needsHub is why an example with a server elsewhere is not run.
const needsHub = "names a server on another machine; cluster.txtar runs it with one"

// everyMethod is why a comparison of all methods is not run.
const everyMethod = "runs every method, some of which take their time; compare.txtar runs a few"

// notRun lists examples that a test cannot run, each with the reason, which is printed.
var notRun = map[string]string{
	"polydag bench": "takes a minute and measures this machine",
	"polydag bench --search --nodes 100,200,500,1000":                                             "takes minutes and measures this machine",
	"polydag reproduce --jobs 16 --data ~/data --out reproduction":                                "takes a quarter of an hour and needs published data",
	"polydag compare data.csv":                                                                    everyMethod,
	"polydag compare data.csv --methods all --truth truth.csv --budget 10s --report compare.html": everyMethod,
	"polydag jobs --nats-file hub-store/address":                                                  needsHub,
	"polydag learn data.csv --bootstrap 10000 --nats-file hub-store/address --output result.json": needsHub,
	"polydag moments part-*.parquet --nats-file hub-store/address --output all.npz":               needsHub,
	"polydag counts part-*.parquet --nats-file hub-store/address --output all.npz":                needsHub,
	"polydag reproduce --nats-file hub-store/address --out reproduction":                          needsHub,
	"polydag worker --nats-file hub-store/address --jobs 4":                                       needsHub,
	"polydag reproduce --set baselines --jobs 16":                                                 "takes minutes; a test of the study runs two of its methods",
	"polydag reproduce --only main --device cuda --jobs 16 --out card":                            "needs a card",
	"polydag reproduce --only main,cost":                                                          "takes minutes",
	"polydag reproduce --quick":                                                                   "takes a minute; reproduce.txtar runs a smaller study",
	"polydag reproduce --only constraints":                                                        "takes minutes; tests of the methods run each constraint",
	"polydag reproduce --set study=mine.yaml --out mine":                                          "takes a quarter of an hour with the study that --set print prints; reproduce.txtar runs a smaller one",
}

// Every command has examples, and every example that is not listed above runs as it stands, in a shell, in a folder with the
// files that it names.
func TestEveryExampleRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: make test runs the examples of every --help")
	}
	shell, err := exec.LookPath("sh")
	if err != nil {
		must.Missing(t, "no sh on this machine: the examples are shell commands")
	}
	files := exampleFiles(t)
	root, hub := command.Tree(lab.All, wings.All...), command.Programs(wings.All...)[0]
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		for _, sub := range cmd.Commands() {
			visit(sub)
		}
		if cmd.Hidden || cmd.Name() == "help" {
			return
		}
		t.Run(strings.ReplaceAll(cmd.CommandPath(), " ", "_"), func(t *testing.T) {
			t.Parallel()
			ran := 0
			for line := range strings.Lines(cmd.Example) {
				line = strings.TrimSpace(line)
				if why, ok := notRun[line]; ok {
					t.Logf("not run: %s: %s", line, why)
					continue
				}
				if line == "" || strings.HasPrefix(line, "#") {
					continue
				}
				dir := t.TempDir()
				linked(t, files, dir)
				c := exec.Command(shell, "-ec", line)
				c.Dir = dir
				c.Env = append(os.Environ(), "HOME="+dir, "POLYDAG_FORCE=true") // the datasets are not the published ones
				if out, err := c.CombinedOutput(); err != nil {
					t.Errorf("%s: %v\n%s", line, err, out)
				}
				ran++
			}
			if ran == 0 {
				t.Error("no example that runs")
			}
		})
	}
	visit(root)
	visit(hub)
}

// exampleFiles returns a folder with every file that examples name: a table, one in two parts, its true graph and a result in it and in the folder
// results, images with their table, and a few rows of each published dataset in the form in which its provider hands it out.
func exampleFiles(t *testing.T) string {
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "SUNAttributeDB"), os.DirFS("../../images/annotation/testdata/sun")); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	rng := rand.New(rand.NewPCG(1, 1))
	save := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) {
		t.Helper()
		var out bytes.Buffer
		if code := command.Run(context.Background(), lab.All, args, strings.NewReader(""), &out, &out, wings.All...); code != 0 {
			t.Fatalf("polydag %s: exit %d\n%s", strings.Join(args, " "), code, out.String())
		}
	}

	for path, text := range annotationFiles {
		save(path, text)
	}
	var b strings.Builder
	b.WriteString("age,education,income,mist,guests_today,ice_cream_scoops\n")
	for range 500 {
		e := rng.NormFloat64
		age, male := 40+e(), e()
		education := 0.9*age + e()
		makeup := -1.2*male + e()
		fmt.Fprintf(&b, "%g,%g,%g,%g,%g,%g\n", age, education, 1.1*education+0.8*male+100+e(), male, makeup, 1.3*makeup+e())
	}
	save("data.csv", b.String())
	save("more.csv", b.String())
	save("before.csv", b.String())
	save("after.csv", b.String())
	save("truth.csv", "from,to\nage,education\neducation,income\nmist,income\nmist,guests_today\nguests_today,ice_cream_scoops\n")
	run("learn", "data.csv", "--output", "result.json", "--quiet")
	run("simulate", "--model", "discrete", "--nodes", "4", "--edges", "3", "--rows", "300", "--output", "discrete.csv", "--truth", "discrete-truth.csv")
	run("learn", "discrete.csv", "--output", "discrete.json", "--quiet")
	run("convert", "discrete.json", "asia.bif", "--data", "discrete.csv", "--quiet")
	for k, part := range []string{"0:100", "100:200"} {
		run("learn", "data.csv", "--bootstrap", "200", "--set", "replicates="+part, "--output", fmt.Sprintf("part%d.json", k+1), "--quiet")
	}
	run("counts", "data.csv", "--output", "c.npz", "--quiet")
	run("moments", "data.csv", "--output", "m.npz", "--quiet")
	run("moments", "data.csv", "more.csv", "--output", "all.npz", "--quiet")
	for seed, part := range []string{"part-1.parquet", "part-2.parquet"} {
		run("simulate", "--nodes", "6", "--rows", "200", "--seed", fmt.Sprint(seed), "--output", part, "--truth", "parts.csv")
	}
	b.Reset()
	b.WriteString("image,round,red\n")
	for i := range 60 {
		round := rng.IntN(2)
		fmt.Fprintf(&b, "%02d.png,%d,%d\n", i, round, (round+rng.IntN(5)/4)%2)
	}
	save("scenes.csv", b.String())
	run("learn", "scenes.csv", "--output", "scenes.json", "--quiet")
	b.Reset()
	b.WriteString("image,ball,snow,first,second\n")
	for i := range 400 {
		ball, snow := i%2, i/2%2
		first, second := ball, ball
		if i%5 == 0 {
			first = snow
		}
		if i%7 == 0 {
			second = 1 - ball
		}
		fmt.Fprintf(&b, "%03d.png,%d,%d,%d,%d\n", i, ball, snow, first, second)
	}
	for _, place := range []string{"shots.csv", "alps.csv", "coast.csv"} {
		save(place, b.String())
	}
	save("scenes/about.txt", "Images 00.png to 59.png")
	run("draw", "scenes.json", "scenes/00.png", "scenes/01.png")
	if err := os.Mkdir("results", 0o755); err != nil {
		t.Fatal(err)
	}
	first, err := os.ReadFile("result.json")
	if err != nil {
		t.Fatal(err)
	}
	save("results/first.json", string(first))

	faces := func(names []string) string {
		var b strings.Builder
		fmt.Fprintf(&b, "%d\n%s\n", 60, strings.Join(names, " "))
		for i := range 60 {
			fmt.Fprintf(&b, "%06d.jpg", i+1)
			for range names {
				fmt.Fprintf(&b, " %2d", 2*rng.IntN(2)-1)
			}
			b.WriteString("\n")
		}
		return b.String()
	}
	save("list_attr_celeba.txt", faces(append(provider.PaperAttributes(), "Smiling")))
	save("CelebAMask-HQ-attribute-anno.txt", faces(provider.PaperAttributes()))
	b.Reset()
	for i := range 60 {
		fmt.Fprintf(&b, "%06d.jpg %d\n", i+1, i/40)
	}
	save("list_eval_partition.txt", b.String())
	b.Reset()
	b.WriteString("praf,pmek,plcg,PIP2,PIP3,p44/42,pakts473,PKA,PKC,P38,pjnk\n")
	for range 60 {
		for j := range 11 {
			if j > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, "%.1f", 1+100*rng.Float64())
		}
		b.WriteByte('\n')
	}
	save("sachs.csv", b.String())
	for i := range 60 {
		glasses := [2]string{"NoGlasses", "ReadingGlasses"}[rng.IntN(2)]
		gender := [2]string{"male", "female"}[rng.IntN(2)]
		save(fmt.Sprintf("json/%05d.json", i), fmt.Sprintf(`[{"faceAttributes": {"smile": %.3f, "headPose": {"pitch": 0, "roll": %.1f, "yaw": %.1f}, "gender": %q, "age": %d,
"facialHair": {"moustache": %.1f, "beard": %.1f, "sideburns": %.1f}, "glasses": %q, "emotion": {"happiness": %.3f, "neutral": %.3f},
"hair": {"bald": %.2f, "invisible": false, "hairColor": [{"color": "brown", "confidence": %.2f}]}}}]`,
			rng.Float64(), rng.NormFloat64(), rng.NormFloat64(), gender, rng.IntN(80), rng.Float64(), rng.Float64(), rng.Float64(), glasses,
			rng.Float64(), rng.Float64(), rng.Float64(), rng.Float64()))
	}
	return dir
}

// commands lists every command that can be run, such as "dataset sachs", sorted.
func commands() []string {
	var list []string
	var visit func(cmd *cobra.Command, path string)
	visit = func(cmd *cobra.Command, path string) {
		for _, sub := range cmd.Commands() {
			name := path + sub.Name()
			if sub.Runnable() {
				list = append(list, name)
			}
			visit(sub, name+" ")
		}
	}
	visit(command.Tree(lab.All, wings.All...), "")
	slices.Sort(list)
	return list
}
