package files_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	. "github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/dataset/prepare"
	"github.com/polydag/polydag/internal/must"
)

// gathered reads the moments of a sample.
func gathered(t testing.TB, s *sample) *prepare.Gathered {
	t.Helper()
	opt := prepare.DefaultSettings()
	opt.Profile = true
	g, err := prepare.Gather(context.Background(), openBytes(t, "t.csv", s.csv(t, ","), options()).Source, opt)
	must.Succeed(t, err)
	return g
}

func written(t testing.TB, m *dataset.Moments, p *dataset.Profile) []byte {
	var b bytes.Buffer
	must.Succeed(t, WriteMoments(&b, m, p))
	return b.Bytes()
}

func sameMoments(t testing.TB, got, want *dataset.Moments) {
	t.Helper()
	if got.N != want.N || !slices.Equal(got.Names, want.Names) || !slices.Equal(got.Mean, want.Mean) || !slices.Equal(got.MeanLow(), want.MeanLow()) ||
		!slices.Equal(got.Scatter, want.Scatter) || !slices.Equal(got.Min, want.Min) || !slices.Equal(got.Max, want.Max) {
		t.Errorf("the moments differ: %+v, want %+v", got, want)
	}
}

func TestMomentsComeBackToTheLastBit(t *testing.T) {
	s := numbers(999, 7, 71)
	s.names[3] = "Größe ☂"
	for i := range s.cols[2] {
		s.cols[2][i] = s.cols[2][i].(float64) + 1e12 // the mean needs its low part
	}
	g := gathered(t, s)
	data := written(t, g.Moments, g.Profile)
	if !bytes.Equal(data, written(t, g.Moments, g.Profile)) {
		t.Error("two files of the same moments differ")
	}
	m, p, err := ReadMoments("m.npz", bytes.NewReader(data), int64(len(data)))
	must.Succeed(t, err)
	sameMoments(t, m, g.Moments)
	if !reflect.DeepEqual(p, g.Profile) {
		t.Errorf("profile %+v, want %+v", p, g.Profile)
	}
	in := openBytes(t, "whatever.dat", data, options())
	m, p = in.Saved()
	if in.Format != Moments || p == nil {
		t.Errorf("format %s", in.Format)
	}
	sameMoments(t, m, g.Moments)
	if _, err := in.Source(context.Background()); !errors.Is(err, ErrNoTable) {
		t.Errorf("rows of saved moments: %v", err)
	}
	if m, _ := openBytes(t, "t.csv", s.csv(t, ","), options()).Saved(); m != nil {
		t.Error("a table has moments")
	}
	m, p, err = ReadMoments("m.npz", bytes.NewReader(written(t, g.Moments, nil)), int64(len(written(t, g.Moments, nil))))
	must.Succeed(t, err)
	sameMoments(t, m, g.Moments)
	if p != nil {
		t.Error("a profile out of nothing")
	}
}

// Saved parts merge into what one pass over all rows gives, but for rounding.
func TestSavedMomentsMerge(t *testing.T) {
	s := numbers(900, 5, 72)
	whole := gathered(t, s).Moments
	var sum *dataset.Moments
	for lo := 0; lo < 900; lo += 300 {
		part := &sample{names: s.names}
		for j := range s.cols {
			part.cols = append(part.cols, s.cols[j][lo:lo+300])
		}
		data := written(t, gathered(t, part).Moments, nil)
		m, _, err := ReadMoments("m.npz", bytes.NewReader(data), int64(len(data)))
		must.Succeed(t, err)
		if sum == nil {
			sum = m
		} else {
			must.Succeed(t, sum.Merge(m))
		}
	}
	for i, w := range whole.Scatter {
		if size := math.Sqrt(whole.Scatter[i/5*6] * whole.Scatter[i%5*6]); !(math.Abs(sum.Scatter[i]-w) <= 1e-12*size) {
			t.Errorf("scatter %d: %v, want %v", i, sum.Scatter[i], w)
		}
	}
	if sum.N != 900 || !slices.Equal(sum.Min, whole.Min) {
		t.Errorf("n = %d", sum.N)
	}
}

func floatsNPY(shape string, x ...float64) []byte {
	b := make([]byte, 8*len(x))
	for i, v := range x {
		binary.LittleEndian.PutUint64(b[8*i:], math.Float64bits(v))
	}
	return rawNPY("'<f8'", false, shape, b)
}

// A covariance that another program wrote.
func TestCovarianceOfAnotherProgram(t *testing.T) {
	n := rawNPY("'<i8'", false, "()", []byte{100, 0, 0, 0, 0, 0, 0, 0})
	cov := floatsNPY("(2, 2)", 4, 1, 1, 9)
	data := zipOf(t, zip.Deflate, "covariance.npy", cov, "n.npy", n, "names.npy", namesNPY([]string{"a", "b"}))
	in := openBytes(t, "cov.npz", data, options())
	m, _ := in.Saved()
	if m == nil || m.N != 100 || fmt.Sprint(m.Names, m.Scatter, m.Mean) != "[a b] [400 100 100 900] [0 0]" || m.Validate() != nil {
		t.Fatalf("%+v", m)
	}
	// The same array asked for by name is a table.
	opt := options()
	opt.Array = "covariance"
	if got := readBytes(t, "cov.npz", data, opt); fmt.Sprint(got.names, got.values) != "[a b] [4 1 1 9]" {
		t.Errorf("%v %v", got.names, got.values)
	}
	for name, c := range map[string]struct {
		data []byte
		text string
	}{
		"no square":     {zipOf(t, zip.Store, "covariance.npy", floatsNPY("(1, 4)", 1, 2, 3, 4), "n.npy", n), "square"},
		"not symmetric": {zipOf(t, zip.Store, "covariance.npy", floatsNPY("(2, 2)", 4, 1, 2, 9), "n.npy", n), "symmetric"},
		"three names":   {zipOf(t, zip.Store, "covariance.npy", cov, "n.npy", n, "names.npy", namesNPY([]string{"a", "b", "c"})), "values of"},
		"n of zero":     {zipOf(t, zip.Store, "covariance.npy", cov, "n.npy", rawNPY("'<i8'", false, "()", make([]byte, 8))), "n is [0]"},
		"n of half":     {zipOf(t, zip.Store, "covariance.npy", cov, "n.npy", floatsNPY("()", 2.5)), "n is [2.5]"},
		"other schema":  {zipOf(t, zip.Store, "scatter.npy", cov, "n.npy", n, "schema.npy", namesNPY([]string{"polydag.moments/9"})), "polydag.moments/9"},
		"absurd":        {zipOf(t, zip.Store, "covariance.npy", rawNPY("'<f8'", false, "(100000, 100000)", nil), "n.npy", n), "100000"},
	} {
		_, err := Open(save(t, "cov.npz", c.data), nil, options())
		if err == nil || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v", name, err)
		}
	}
	opt = options()
	opt.Format = Moments
	if _, err := Open(save(t, "x.npz", zipOf(t, zip.Store, "x.npy", cov)), nil, opt); !errors.Is(err, ErrNoTable) {
		t.Errorf("a table as moments: %v", err)
	}
}

// numpy finds a Python that has numpy.
func numpy(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"python3", "/usr/bin/python3", "python"} {
		if path, err := exec.LookPath(name); err == nil && exec.Command(path, "-c", "import numpy").Run() == nil {
			return path
		}
	}
	must.Missing(t, "no Python with numpy is installed; Debian: apt-get install python3-numpy")
	return ""
}

func TestNumpyReadsMoments(t *testing.T) {
	python := numpy(t)
	s := numbers(100, 3, 73)
	s.names[1] = "naïve"
	g := gathered(t, s)
	path := save(t, "m.npz", written(t, g.Moments, g.Profile))
	out, err := exec.Command(python, "-c", `
import numpy as np, json, sys
m = np.load(sys.argv[1], allow_pickle=False)
assert str(m["schema"]) == "polydag.moments/1", m["schema"]
assert m["scatter"].shape == (3, 3) and m["n"].dtype == np.int64
profile = json.loads(m["profile"].tobytes())
print(m["n"], ",".join(m["names"]).encode(), float(m["scatter"][0, 1]).hex(), float(m["mean"][2]).hex(), profile["rows_read"])
`, path).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	hex := func(x float64) string {
		o, _ := exec.Command(python, "-c", fmt.Sprintf("print(float(%s).hex(), end='')", fmt.Sprintf("'%.17g'", x))).Output()
		return string(o)
	}
	want := fmt.Sprintf("100 b'c000,na\\xc3\\xafve,c002' %s %s 100", hex(g.Moments.Scatter[1]), hex(g.Moments.Mean[2]))
	if got := strings.TrimSpace(string(out)); got != want {
		t.Errorf("numpy says %s, want %s", got, want)
	}
}

// Files that numpy wrote: arrays in both orders, names, and a covariance.
func TestFilesOfNumpy(t *testing.T) {
	python := numpy(t)
	dir := t.TempDir()
	out, err := exec.Command(python, "-c", `
import numpy as np, os, sys
os.chdir(sys.argv[1])
x = np.arange(12.0).reshape(4, 3) ** 2
np.save("c.npy", x)
np.save("f.npy", np.asfortranarray(x))
np.save("i.npy", x.astype(">i4"))
np.savez("s.npz", x=x, y=np.arange(4), columns=np.array(["a", "b", "ü"]))
np.savez_compressed("p.npz", x=np.asfortranarray(x), names=np.array(["a", "b", "ü"]))
np.savez("cov.npz", covariance=np.cov(x, rowvar=False, bias=True), n=4, names=["a", "b", "ü"], mean=x.mean(axis=0))
`, dir).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range []string{"c.npy", "f.npy", "i.npy", "s.npz", "p.npz"} {
		got := readPath(t, filepath.Join(dir, name), options())
		if fmt.Sprint(got.values) != "[0 1 4 9 16 25 36 49 64 81 100 121]" {
			t.Errorf("%s: %v", name, got.values)
		}
		if strings.HasSuffix(name, ".npz") && fmt.Sprint(got.names) != "[a b ü]" {
			t.Errorf("%s: %q", name, got.names)
		}
	}
	in, err := Open(filepath.Join(dir, "cov.npz"), nil, options())
	must.Succeed(t, err)
	defer in.Close()
	m, _ := in.Saved()
	if m == nil || m.N != 4 || m.Mean[1] != 41.5 || fmt.Sprint(m.Names) != "[a b ü]" {
		t.Errorf("%+v", m)
	}
}
