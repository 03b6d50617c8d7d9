package tables

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/cluster/work"
	"github.com/polydag/polydag/confidence"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab"
)

// parts writes tables with the same three columns.
func parts(t testing.TB, n int) (list [][]string) {
	t.Helper()
	dir, rng := t.TempDir(), rand.New(rand.NewPCG(3, 1))
	for k := range n {
		var b strings.Builder
		b.WriteString("a;b;c\n")
		for range 50 + 100*k {
			x := rng.NormFloat64()
			fmt.Fprintf(&b, "%g;%g;%g\n", x, x+rng.NormFloat64(), 100+rng.NormFloat64())
		}
		path := filepath.Join(dir, fmt.Sprintf("part-%d.csv", k))
		must.Succeed(t, os.WriteFile(path, []byte(b.String()), 0o600))
		list = append(list, []string{path})
	}
	return list
}

func bytesOf(t *testing.T, m *dataset.Moments) string {
	t.Helper()
	var b bytes.Buffer
	must.Succeed(t, files.WriteMoments(&b, m, nil))
	return b.String()
}

// TestMomentsOfPartsAreLocal checks that the merged moments of units equal those of one process that reads the
// parts in order, bit for bit.
func TestMomentsOfPartsAreLocal(t *testing.T) {
	list := parts(t, 5)
	p := polydag.DefaultPreparation()
	p.Columns, p.Profile = []string{"c", "a"}, false
	read := NewReading(files.DefaultSettings(), p, nil)
	var want *dataset.Moments
	for _, paths := range list {
		in := must.Get(files.OpenAll(paths, nil, files.DefaultSettings()))
		table := must.Get(polydag.Prepare(t.Context(), in, p))
		in.Close()
		if want == nil {
			want = table.Moments
		} else if err := want.Merge(table.Moments); err != nil {
			t.Fatal(err)
		}
	}
	for _, workers := range []int{1, 3} {
		var got *dataset.Moments
		err := Moments(t.Context(), work.Pool{Workers: workers, Handlers: work.Handlers{KindMoments: MomentsHandler(0)}}, "parts", list, read, func(_ int, m *dataset.Moments) error {
			if got == nil {
				got = m
				return nil
			}
			return got.Merge(m)
		})
		must.Succeed(t, err)
		if got.N != 50+150+250+350+450 || bytesOf(t, got) != bytesOf(t, want) {
			t.Errorf("%d workers: %d rows, %v; want %d, %v", workers, got.N, got.Scatter, want.N, want.Scatter)
		}
	}
}

// TestEverySettingTravels checks that every setting of a table is either transferred or does not affect its
// content.
func TestEverySettingTravels(t *testing.T) {
	stays := map[string]string{
		"CSV": "field by field", "Threads": "no part in the result", "MaxColumns": "a limit", "MaxMemory": "a limit", "MaxSpool": "a limit",
		"File": "a name", "Progress": "told", "MaxLine": "a limit", "Lenient": "for looking only",
	}
	travels := map[string]bool{}
	for f := range reflect.TypeFor[Reading]().Fields() {
		travels[f.Name] = true
	}
	for _, s := range []reflect.Type{reflect.TypeFor[files.Settings](), reflect.TypeFor[polydag.Preparation](), reflect.TypeFor[dataset.CSVSettings]()} {
		for f := range s.Fields() {
			if !travels[f.Name] && stays[f.Name] == "" {
				t.Errorf("%s.%s neither travels nor is known to stay", s, f.Name)
			}
		}
	}
	o, p := files.DefaultSettings(), polydag.DefaultPreparation()
	o.Format, o.Sheet, o.Array, o.Threads = "csv", "s", "a", 1
	p.Time = dataset.TimeSettings{Column: "t", Series: "s", Lags: 2, Gaps: "break", Step: "1h", Aggregate: "mean", PooledMeans: true, Difference: true, Detrend: true, Season: 12}
	o.CSV.Delimiter, o.CSV.Decimal, o.CSV.Blanks, o.CSV.NoHeader, o.CSV.NA, o.CSV.Threads = ';', ',', true, true, []string{"x"}, 1
	o.CSV.Encoding, o.CSV.DateOrder = "latin-1", "dmy"
	p.Columns, p.Drop, p.FirstRow, p.LastRow, p.Groups, p.Encode, p.Missing = []string{"a"}, []string{"b"}, 3, 9, "k", "onehot", "drop"
	p.GroupMeans = true
	p.Keep, p.Frequencies, p.RowWeights = []string{"id"}, "f", "w"
	p.Targets, p.Environments, p.Log, p.NormalScores, p.Discretize, p.Profile, p.MaxLevels, p.Threads = "t", "r", []string{"l"}, true, 4, false, 7, 1
	r := NewReading(o, p, []string{"a=binary"})
	text := must.Get(json.Marshal(r))
	var back Reading
	if err := work.Strict(text, &back); err != nil || !reflect.DeepEqual(back, r) {
		t.Fatalf("%+v, %v", back, err)
	}
	if o2, p2 := back.settings(0); !reflect.DeepEqual(o2, o) || !reflect.DeepEqual(p2, p) {
		t.Errorf("%+v\n%+v\n%+v\n%+v", o2, o, p2, p)
	}
	for f := range reflect.TypeFor[Reading]().Fields() {
		if reflect.ValueOf(r).FieldByName(f.Name).IsZero() && f.Name != "Profile" {
			t.Errorf("the test leaves %s at zero", f.Name)
		}
	}
}

// TestFaultsNameThePart checks that errors name the part and not its temporary path, and that no file is left.
func TestFaultsNameThePart(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	path := filepath.Join(t.TempDir(), "bad.csv")
	must.Succeed(t, os.WriteFile(path, []byte("a,b\n1,2\n3,x\n4,5\n"), 0o600))
	p := polydag.DefaultPreparation()
	p.Encode, p.Profile = "error", false
	read := NewReading(files.DefaultSettings(), p, nil)
	handlers := work.Handlers{KindMoments: MomentsHandler(0)}
	err := Moments(t.Context(), work.Pool{Workers: 1, Handlers: handlers}, "", [][]string{{path}}, read, func(int, *dataset.Moments) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "bad.csv") || strings.Contains(err.Error(), temp) {
		t.Errorf("%v", err)
	}
	for _, body := range []string{`{"files": [{"name": "/etc/passwd", "path": "/etc/passwd"}]}`, `{"files": []}`, `[]`, `{"files":[{"name":"../../x","sha256":"` + work.Hash(nil) + `"}],"read":{"encode":"error","missing":"error","max_levels":1}}`} {
		job := &work.Job{Units: []work.Unit{{}}}
		job.Add(nil)
		u := must.Get(work.NewUnit(KindMoments, json.RawMessage(body)))
		job.Units[0] = u
		if err := (work.Pool{Workers: 1, Handlers: handlers}).Run(t.Context(), job, func(int, []byte) error { return nil }); err == nil {
			t.Errorf("%s is taken", body)
		}
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", slices.Collect(func(yield func(string) bool) {
			for _, e := range left {
				yield(e.Name())
			}
		}), err)
	}
}

// TestAbsurdLags checks that a unit whose lagged columns would take gigabytes is refused before they are allocated.
func TestAbsurdLags(t *testing.T) {
	read := NewReading(files.DefaultSettings(), polydag.DefaultPreparation(), nil)
	paths := parts(t, 2)[1]
	for _, lags := range []int{3000, 100_000, 1_000_000_000_000, math.MaxInt} {
		read.Time = dataset.TimeSettings{Column: ".", Gaps: dataset.GapsError, Lags: lags}
		job := &work.Job{}
		table := must.Get(Ship(job, paths, read))
		must.Succeed(t, table.add(job, KindMoments, table))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := (work.Pool{Workers: 1, Handlers: work.Handlers{KindMoments: MomentsHandler(300 << 20)}}).Run(t.Context(), job, func(int, []byte) error { return nil })
		runtime.ReadMemStats(&after)
		if taken := (after.TotalAlloc - before.TotalAlloc) >> 20; err == nil || taken > 100 {
			t.Errorf("%d lags: %v after %d MB", lags, err, taken)
		}
	}
}

// TestReplicatesAreLocal checks that replicates as encoded units, with the table read again from its files,
// give the result of one process.
func TestReplicatesAreLocal(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 2))
	var b strings.Builder
	b.WriteString("who,a,b,c,d\n")
	for i := range 400 {
		x := rng.NormFloat64()
		word := [3]string{"low", "middle", "high"}[min(2, int(rng.ExpFloat64()))]
		fmt.Fprintf(&b, "p%d,%g,%g,%s,%g\n", i/4, x, x+0.5*rng.NormFloat64(), word, float64(len(word))+rng.NormFloat64())
	}
	path := filepath.Join(t.TempDir(), "mixed.csv")
	must.Succeed(t, os.WriteFile(path, []byte(b.String()), 0o600))
	for name, change := range map[string]func(*polydag.Preparation){
		"rows":         func(p *polydag.Preparation) { p.Drop = []string{"who"} },
		"groups":       func(p *polydag.Preparation) { p.Groups = "who" },
		"environments": func(p *polydag.Preparation) { p.Drop, p.Environments = []string{"who"}, "c" },
	} {
		t.Run(name, func(t *testing.T) {
			p := polydag.DefaultPreparation()
			change(&p)
			learn := func(with func(*polydag.Table) (*polydag.Result, error)) string {
				in := must.Get(files.Open(path, nil, files.DefaultSettings()))
				defer in.Close()
				table := must.Get(polydag.Prepare(t.Context(), in, p))
				res := must.Get(with(table))
				res.Timing = polydag.Timing{}
				text := must.Get(json.Marshal(res))
				return string(text)
			}
			cfg, set := polydag.DefaultConfig(), confidence.DefaultSettings()
			set.Replicates = 8
			if name == "rows" {
				set.Calibrate = 2
			}
			read := NewReading(files.DefaultSettings(), p, nil)
			want := learn(func(table *polydag.Table) (*polydag.Result, error) {
				return confidence.Learn(t.Context(), table, cfg, set, polydag.Run{})
			})
			elsewhere := Replicates{Runner: work.Pool{Workers: 3, Handlers: work.Handlers{KindReplicate: ReplicateHandler(lab.All, 1<<30)}}, Paths: []string{path}, Read: read}
			got := learn(func(table *polydag.Table) (*polydag.Result, error) {
				return confidence.LearnWith(t.Context(), table, cfg, set, polydag.Run{}, elsewhere)
			})
			if got != want || !strings.Contains(got, `"replicates":8`) || strings.Contains(got, `"recalibration"`) != (set.Calibrate > 0) {
				t.Errorf("%s\n%s", got, want)
			}
			if name == "rows" { // the replicates fit, and the simulated tables do not
				plan := must.Get(confidence.NewPlan(cfg, &polydag.Result{}))
				alone := must.Get(plan.Config())
				elsewhere.Runner = work.Pool{Workers: 1, Handlers: work.Handlers{KindReplicate: ReplicateHandler(nil, alone.Memory(400, 4)+2*8*400*4)}}
				short := learn(func(table *polydag.Table) (*polydag.Result, error) {
					return confidence.LearnWith(t.Context(), table, cfg, set, polydag.Run{}, elsewhere)
				})
				if !strings.Contains(short, `"replicates":8`) || strings.Contains(short, `"recalibration"`) || !strings.Contains(short, "the calibration could not be done (") || !strings.Contains(short, "of memory") {
					t.Errorf("without room for a calibration: %s", short)
				}
			}
			elsewhere.Runner = work.Pool{Workers: 1, Handlers: work.Handlers{KindReplicate: ReplicateHandler(nil, 1<<10)}}
			if err := elsewhere.Run(t.Context(), []confidence.Unit{{Plan: &confidence.Plan{}}}, func(confidence.Outcome) {}); err == nil || !strings.Contains(err.Error(), "memory") {
				t.Errorf("a table beyond the limit: %v", err)
			}
		})
	}
}

// TestHostileSimulatedTables checks that implausible units of simulated tables are refused.
func TestHostileSimulatedTables(t *testing.T) {
	list := parts(t, 1)
	p := polydag.DefaultPreparation()
	read := NewReading(files.DefaultSettings(), p, nil)
	edge := func(from, to int) (e graph.Edge) { e.From, e.To = from, to; return e }
	plan := must.Get(confidence.NewPlan(polydag.DefaultConfig(), &polydag.Result{}))
	for name, like := range map[string]*confidence.SimulatedTable{
		"nodes must be in": {Graph: []graph.Edge{edge(0, 7)}},
		"cycle":            {Graph: []graph.Edge{edge(0, 1), edge(1, 0)}},
		"negative":         {Number: -1},
	} {
		r := Replicates{Runner: work.Pool{Workers: 1, Handlers: work.Handlers{KindReplicate: ReplicateHandler(nil, 0)}}, Paths: list[0], Read: read}
		unit := confidence.Unit{Plan: plan, Draw: polydag.Draw{Kind: polydag.Bootstrap}, Simulated: like}
		if err := r.Run(t.Context(), []confidence.Unit{unit}, func(confidence.Outcome) {}); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestPlanBeyondTheLimit checks that a plan whose settings ask for more memory than a unit may take is refused
// before the run.
func TestPlanBeyondTheLimit(t *testing.T) {
	read := NewReading(files.DefaultSettings(), polydag.DefaultPreparation(), nil)
	plan := &confidence.Plan{Method: "dag-gnn", Names: "off", Settings: json.RawMessage(`{"Hidden": 1000, "Batch": 1000000}`)}
	r := Replicates{Runner: work.Pool{Workers: 1, Handlers: work.Handlers{KindReplicate: ReplicateHandler(lab.All, 1<<30)}}, Paths: parts(t, 1)[0], Read: read}
	unit := confidence.Unit{Plan: plan, Draw: polydag.Draw{Kind: polydag.Bootstrap}}
	if err := r.Run(t.Context(), []confidence.Unit{unit}, func(confidence.Outcome) {}); !errors.Is(err, work.ErrLimit) {
		t.Errorf("%v", err)
	}
}
