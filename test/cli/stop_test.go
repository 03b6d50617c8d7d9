//go:build unix

package cli_test

import (
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// A stopCase is a command line over the files of the examples, and what a signal makes of it.
type stopCase struct {
	args  string
	write string // where its result goes: file, stdout, or nothing
	code  int    // after a signal; 1 unless set
	says  string // after a signal; that nothing was written unless set
	saves bool   // it has a result so far, which it writes whatever the signal
}

// stopCases has every command of the program.
var stopCases = map[string]stopCase{
	"audit":                 {args: "shots.csv --on first --given ball --sensitive snow", write: "stdout"},
	"bench":                 {args: "--nodes 4", write: "stdout"},
	"check":                 {args: "data.csv --output new", write: "file"},
	"completion bash":       {},
	"completion fish":       {},
	"completion powershell": {},
	"completion zsh":        {},
	"compare":               {args: "data.csv --methods order,pc --output new", write: "file", saves: true},
	"confidence":            {args: "result.json --data data.csv --output new", write: "file", saves: true},
	"convert":               {args: "result.json new.dot", write: "file"},
	"dataset":               {},
	"dataset celeba":        {args: "list_attr_celeba.txt --set force --output new", write: "file"},
	"dataset celeba-hq":     {args: "CelebAMask-HQ-attribute-anno.txt --set force --output new", write: "file"},
	"dataset ffhq":          {args: "json --set force --missing columns --output new", write: "file"},
	"dataset list":          {write: "stdout"},
	"dataset sachs":         {args: "sachs.csv --set force --output new", write: "file"},
	"dataset sachs-edges":   {args: "17 --output new", write: "file"},
	"dataset ade20k":        {args: "ADE20K_2016_07_26 --output new", write: "file"},
	"dataset awa2":          {args: "Animals_with_Attributes2 --output new", write: "file"},
	"dataset coco":          {args: "instances_val2017.json --output new", write: "file"},
	"dataset cub":           {args: "CUB_200_2011 --output new", write: "file"},
	"dataset cvat":          {args: "annotations.xml --output new", write: "file"},
	"dataset lfwa":          {args: "lfw_attributes.txt --output new", write: "file"},
	"dataset open-images":   {args: "validation-annotations-human-imagelabels.csv --output new", write: "file"},
	"dataset sun":           {args: "SUNAttributeDB --output new", write: "file"},
	"dataset visual-genome": {args: "objects.json --output new", write: "file"},
	"dataset voc":           {args: "VOC2012/Annotations --output new", write: "file"},
	"dataset yolo":          {args: "labels --output new", write: "file"},
	"demo":                  {args: "--output new", write: "file", saves: true},
	"describe":              {args: "learn", write: "stdout"},
	"devices":               {write: "stdout"},
	"draw":                  {args: "result.json new.svg", write: "file"},
	"effect":                {args: "result.json --of age --on income --data data.csv --set replicates=3 --output new", write: "file"},
	"evaluate":              {args: "--truth truth.csv result.json --set sid", write: "stdout"},
	"drivers":               {args: "data.csv --of income --by auto --set replicates=3", write: "stdout"},
	"explain":               {args: "result.json --from age --to income", write: "stdout"},
	"impute":                {args: "data.csv result.json --output new --copies 1", write: "file"},
	"questions":             {args: "result.json", write: "stdout"},
	"test":                  {args: "result.json --data data.csv --set random-graphs=0", write: "stdout"},
	"jobs":                  {args: "--nats nats://127.0.0.1:1"},
	"worker":                {args: "--nats nats://127.0.0.1:1"},
	"learn":                 {args: "data.csv --output new", write: "file", saves: true},
	"man":                   {args: "--dir .", write: "file"},
	"methods":               {args: "order", write: "stdout"},
	"moments":               {args: "data.csv --output new", write: "file"},
	"counts":                {args: "data.csv --output new", write: "file"},
	"path":                  {args: "data.csv --set splits=2 --output new", write: "file", saves: true},
	"report":                {args: "result.json --output new", write: "file"},
	"reproduce":             {args: "--quick --only cycle,convergence --jobs 1 --out .", write: "file", code: 3, says: "interrupted; "},
	"serve":                 {args: "--listen 127.0.0.1:0"},
	"simulate":              {args: "--output new --truth truth-new.csv", write: "file"},
	"licenses":              {write: "stdout"},
	"version":               {write: "stdout"},
	"why":                   {args: "data.csv more.csv --graph result.json --target income", write: "stdout"},
}

// defaultSignals makes the processes that a test starts take signals as usual, also where the test itself was started by something
// that ignores some, as nohup does.
func defaultSignals(t testing.TB) {
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM)
	t.Cleanup(func() { signal.Stop(caught) })
}

// held starts a command that is held up at a place, and waits until it is there.
func held(t *testing.T, dir, place string, args ...string) *started {
	t.Helper()
	s := startWith(t, dir, nil, []string{holdEnv + "=" + place}, args...)
	name, _, _ := strings.Cut(place, " ")
	s.says(t, &s.stderr, "held at "+name)
	return s
}

// linked makes links to all files under a folder in another one. Commands replace files and do not change them, so links will do.
func linked(t testing.TB, from, to string) {
	t.Helper()
	if err := filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == from {
			return err
		}
		place := filepath.Join(to, strings.TrimPrefix(path, from))
		if e.IsDir() {
			return os.Mkdir(place, 0o755)
		}
		return os.Link(path, place)
	}); err != nil {
		t.Fatal(err)
	}
}

// listing returns the names of all files under a folder.
func listing(t testing.TB, dir string) []string {
	t.Helper()
	var names []string
	if err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			names = append(names, path)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return names
}

// unfinished returns the length of the longest file in the folder that is not in its place yet, or -1: one that the folder did not
// have before, or on Linux an open one without a name, which the system shows as deleted.
func (s *started) unfinished(t testing.TB, dir string, before []string) int64 {
	t.Helper()
	longest := int64(-1)
	see := func(file string) {
		if st, err := os.Stat(file); err == nil {
			longest = max(longest, st.Size())
		}
	}
	for _, file := range listing(t, dir) {
		if !slices.Contains(before, file) {
			see(file)
		}
	}
	open := fmt.Sprintf("/proc/%d/fd", s.Process.Pid)
	entries, _ := os.ReadDir(open) // the folder is absent on other systems
	for _, e := range entries {
		link := filepath.Join(open, e.Name())
		if file, err := os.Readlink(link); err == nil && strings.HasPrefix(file, dir) && strings.HasSuffix(file, "(deleted)") {
			see(link)
		}
	}
	return longest
}

// Every command ends after one signal, whatever it is doing: held up before its work or in the middle of writing, whether it
// comes to look at its context or is stuck for good. It says what became of it and leaves no file.
func TestEveryCommandStops(t *testing.T) {
	defaultSignals(t)
	for name := range stopCases {
		if !slices.Contains(commands(), name) {
			t.Errorf("there is no command %s", name)
		}
	}
	files := exampleFiles(t)
	signals := []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP}
	for i, name := range commands() {
		c, ok := stopCases[name]
		if !ok {
			t.Errorf("%s is not in the table of this test", name)
			continue
		}
		places := []string{"start", "start stuck"}
		if c.write != "" && !c.saves {
			places = append(places, "write", "write stuck")
		}
		for k, place := range places {
			sig := signals[(i+k)%len(signals)]
			t.Run(fmt.Sprintf("%s/%s", name, place), func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				linked(t, files, dir)
				before := listing(t, dir)
				s := held(t, dir, place, append(strings.Fields(name), strings.Fields(c.args)...)...)
				if c.write == "file" && strings.HasPrefix(place, "write") && s.unfinished(t, dir, before) < 0 {
					t.Error("there is no unfinished file: it is not in the middle of writing")
				}
				s.Process.Signal(sig)
				code, says := 1, "interrupted; nothing was written"
				if c.says != "" && strings.HasPrefix(place, "write") {
					code, says = c.code, c.says
				}
				if got := s.end(t); got != code || !strings.Contains(s.stderr.String(), "polydag: "+says) {
					t.Errorf("%v: exit code %d, want %d and %q: %s", sig, got, code, says, s.stderr.String())
				}
				after := listing(t, dir)
				if name == "reproduce" { // a study keeps its records
					after = slices.DeleteFunc(after, func(f string) bool { return filepath.Base(f) == "records.jsonl" || filepath.Base(f) == "graphs.jsonl" })
				}
				if !slices.Equal(after, before) {
					t.Errorf("files before: %v\nand after: %v", before, after)
				}
				if s.stdout.String() != "" {
					t.Errorf("standard output has %q", s.stdout.String())
				}
			})
		}
	}
}

// A command that is writing its best result so far waits for that after the first signal, and says so; the second signal ends
// it at once, wherever it is, and leaves neither a temporary file nor the progress of a run that is over.
func TestSecondSignalEndsAtOnce(t *testing.T) {
	defaultSignals(t)
	for _, c := range []struct {
		first, second syscall.Signal
		args          []string
	}{
		{syscall.SIGINT, syscall.SIGINT, []string{"learn", "data.csv", "--output", "result.json", "--checkpoint", "state"}},
		{syscall.SIGTERM, syscall.SIGINT, []string{"learn", "data.csv", "--export", "graph.svg", "--quiet"}},
		{syscall.SIGHUP, syscall.SIGHUP, []string{"learn", "data.csv", "--report", "page.html", "--log-format", "json"}},
		{syscall.SIGINT, syscall.SIGTERM, []string{"demo", "--output", "result.json"}},
	} {
		t.Run(fmt.Sprint(c.args[0], " ", c.first, " ", c.second), func(t *testing.T) {
			t.Parallel()
			dir := simulated(t, "5")
			before := listing(t, dir)
			s := held(t, dir, "write stuck", c.args...)
			if s.unfinished(t, dir, before) < 0 {
				t.Fatal("there is no unfinished file: it is not in the middle of writing")
			}
			s.Process.Signal(c.first)
			s.says(t, &s.stderr, "interrupted; the best result so far is being written; a second signal ends the command without it")
			s.Process.Signal(c.second)
			if code := s.end(t); code != 1 || !strings.Contains(s.stderr.String(), "interrupted twice; nothing was written") {
				t.Errorf("exit code %d: %s", code, s.stderr.String())
			}
			for _, f := range listing(t, dir) {
				if base := filepath.Base(f); !slices.Contains(before, f) && base != "lock" && !strings.HasPrefix(base, "state-") {
					t.Errorf("left behind: %s", f)
				}
			}
		})
	}
}

// Under nohup, which ignores SIGHUP, a command outlives its terminal.
func TestNohup(t *testing.T) {
	t.Parallel()
	dir := simulated(t, "5")
	nohup := []string{"nohup", "polydag"}
	s := startProgram(t, dir, nil, []string{holdEnv + "=write"}, append(nohup, "check", "data.csv", "--output", "new")...)
	s.says(t, &s.stderr, "held at write")
	s.Process.Signal(syscall.SIGHUP) // nothing
	s.Process.Signal(syscall.SIGTERM)
	if code := s.end(t); code != 1 || !strings.Contains(s.stderr.String(), "interrupted; nothing was written") {
		t.Errorf("exit code %d: %s", code, s.stderr.String())
	}
}
