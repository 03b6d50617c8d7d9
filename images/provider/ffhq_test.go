package provider_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/images/provider"
	"github.com/polydag/polydag/internal/must"
)

const ffhqHeader = "image,smile,pitch,roll,yaw,male,age,moustache,beard,sideburns,anger,contempt,disgust,fear,happiness,neutral," +
	"sadness,surprise,blur,exposure,noise,eye_makeup,lip_makeup,glasses,sunglasses,headwear,mask,forehead_occluded," +
	"eye_occluded,mouth_occluded,bald,hair_invisible,hair_brown,hair_blond,hair_black,hair_red,hair_gray,hair_other\n"

// faces is a small table: face k has every score different from the other faces' unless it is tied; the last lacks hair colours.
func faces(n int) string {
	var b strings.Builder
	b.WriteString(ffhqHeader)
	for k := range n {
		x := float64(k+1) / 100
		fmt.Fprintf(&b, "%05d,%g", k, x)
		for j := range 36 {
			v := x + float64(j)*x*x
			switch {
			case j == 12:
				v = x // happiness, equal to smile
			case j == 23 || j == 29:
				v = float64(k / (n - 1)) // headwear, hair_invisible
			case j >= 30 && k == n-1:
				b.WriteString(",")
				continue
			}
			fmt.Fprintf(&b, ",%g", v)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func readFFHQ(text string, change func(*provider.Settings)) (*dataset.NamedRows, []string, error) {
	opt := provider.DefaultSettings()
	opt.File, opt.Force = "ffhq.csv", true
	if change != nil {
		change(&opt)
	}
	return provider.FFHQ(strings.NewReader(text), opt)
}

func TestFFHQColumns(t *testing.T) {
	text := faces(5)
	table, notes, err := readFFHQ(text, nil)
	must.Succeed(t, err)
	shape(t, table, 4, 33)
	all := strings.Join(notes, "\n")
	for _, want := range []string{
		"69,401 rows expected, 5 found",
		"dropped smile: smile equals happiness", "dropped neutral: the eight emotions sum to 1",
		"dropped hair_invisible: headwear equals hair_invisible", "dropped headwear: it is 0 in every row",
		"dropped 1 of 5 rows that lack a value",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("notes lack %q:\n%s", want, all)
		}
	}
	table, _, err = readFFHQ(text, func(o *provider.Settings) { o.Missing = "columns" })
	must.Succeed(t, err)
	shape(t, table, 5, 28)
	if !slices.Contains(table.Names, "headwear") {
		t.Error("headwear varies and was dropped")
	}
	table, notes, err = readFFHQ(text, func(o *provider.Settings) { o.Attributes, o.Rows = []string{"age", "smile", "happiness"}, 3 })
	must.Succeed(t, err)
	shape(t, table, 3, 3)
	if !strings.Contains(strings.Join(notes, "\n"), "warning: smile equals happiness") {
		t.Errorf("no warning of tied columns: %q", notes)
	}
	if strings.Contains(strings.Join(notes, "\n"), "lack a value") {
		t.Errorf("rows dropped for columns that were not asked for: %q", notes)
	}
	emotions := []string{"smile", "anger", "contempt", "disgust", "fear", "neutral", "sadness", "surprise"}
	if _, notes, err = readFFHQ(text, func(o *provider.Settings) { o.Attributes = emotions }); err != nil || !strings.Contains(strings.Join(notes, "\n"), "warning: the eight emotions") {
		t.Errorf("smile in place of happiness: %q %v", notes, err)
	}
}

func TestFFHQRefuses(t *testing.T) {
	text := faces(5)
	for _, c := range []struct {
		name, text, want string
		change           func(*provider.Settings)
	}{
		{"no face scores", "image,a,b\n1,2,3\n2,3,4\n", "none of the scores", nil},
		{"not a number", strings.Replace(text, "00001,0.02,", "00001,n/a,", 1), `line 3, column smile: "n/a" is not a number`, nil},
		{"infinite", strings.Replace(text, "00001,0.02,", "00001,Inf,", 1), "is not a number", nil},
		{"ragged", strings.Replace(text, "\n00001,", "\n00001,1,", 1), "line 3 has 39 fields, the header has 38", nil},
		{"column twice", "age,age\n1,2\n", `"age" twice`, nil},
		{"the image as a column", text, `no attribute "image"`, func(o *provider.Settings) { o.Attributes = []string{"image", "age"} }},
		{"colours dropped and asked for", text, "Missing = columns drops", func(o *provider.Settings) {
			o.Attributes, o.Missing = []string{"age", "hair_red"}, "columns"
		}},
		{"small", text, "69,401 rows expected, 5 found", func(o *provider.Settings) { o.Force = false }},
		{"cut", text[:len(text)-20], "cut off: 69,401 rows expected, 4 whole", func(o *provider.Settings) { o.Force = false }},
		{"cut in gzip", string(zipped(t, faces(2000))[:9000]), "cut off: 69,401 rows expected", func(o *provider.Settings) { o.Force = false }},
		{"page", "<html>", "web page", nil},
	} {
		if _, _, err := readFFHQ(c.text, c.change); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

const faceJSON = `[{"faceId":"x","faceRectangle":{"top":1},"faceAttributes":{"smile":0.25,"headPose":{"pitch":2.5,"roll":1.25,"yaw":-7.5},
"gender":"male","age":31.0,"facialHair":{"moustache":0.1,"beard":0.2,"sideburns":0.3},"glasses":"Sunglasses",
"emotion":{"anger":0.01,"contempt":0.02,"disgust":0.03,"fear":0.04,"happiness":0.25,"neutral":0.5,"sadness":0.07,"surprise":0.08},
"blur":{"blurLevel":"low","value":0.11},"exposure":{"exposureLevel":"goodExposure","value":0.6},"noise":{"noiseLevel":"low","value":0.12},
"makeup":{"eyeMakeup":true,"lipMakeup":false},"accessories":[{"type":"headwear","confidence":0.9}],
"occlusion":{"foreheadOccluded":false,"eyeOccluded":true,"mouthOccluded":false},
"hair":{"bald":0.13,"invisible":true,"hairColor":[{"color":"brown","confidence":0.9},{"color":"red","confidence":0.8},{"color":"blond","confidence":0.7},
{"color":"black","confidence":0.6},{"color":"gray","confidence":0.5},{"color":"other","confidence":0.4}]}}}]`

// TestFFHQFolder checks that the JSON files give the row that the CSV of the same face holds.
func TestFFHQFolder(t *testing.T) {
	bare := strings.Replace(strings.Replace(faceJSON, `"Sunglasses"`, `"NoGlasses"`, 1), `"male"`, `"female"`, 1)
	fsys := fstest.MapFS{
		"README.md":       {Data: []byte("no face")},
		"json/00000.json": {Data: []byte(faceJSON)},
		"json/00001.json": {Data: []byte("[]")},
		"json/00002.json": {Data: []byte(bare)},
		"json/00003.json": {Data: []byte(strings.TrimSuffix(bare, "]") + "," + bare[1:])},
	}
	opt := provider.DefaultSettings()
	opt.Force = true
	opt.Attributes = append(opt.Attributes, strings.Split(strings.TrimSpace(ffhqHeader), ",")[1:]...)
	got, notes, err := provider.FFHQFolder(t.Context(), fsys, opt)
	must.Succeed(t, err)
	if !strings.Contains(strings.Join(notes, "\n"), "4 files: 2 images with one face, 1 with none and 1 with several") {
		t.Errorf("notes %q", notes)
	}
	row := "0.25,2.5,1.25,-7.5,1,31,0.1,0.2,0.3,0.01,0.02,0.03,0.04,0.25,0.5,0.07,0.08,0.11,0.6,0.12,1,0,1,1,1,0,0,1,0,0.13,1,0.9,0.7,0.6,0.8,0.5,0.4\n"
	second := strings.Replace(strings.Replace(row, "-7.5,1,", "-7.5,0,", 1), "1,0,1,1,1,0,", "1,0,0,0,1,0,", 1)
	want, _, err := provider.FFHQ(strings.NewReader(ffhqHeader+"00000,"+row+"00002,"+second), opt)
	must.Succeed(t, err)
	if !slices.Equal(got.Rows.Data, want.Rows.Data) {
		t.Errorf("JSON %v\n CSV %v", got.Rows.Data, want.Rows.Data)
	}
	for name, fsys := range map[string]fstest.MapFS{
		"holds no .json":    {"a.txt": {Data: []byte("x")}},
		"00000.json":        {"00000.json": {Data: []byte("<html>")}},
		"no faceAttributes": {"00000.json": {Data: []byte("[{}]")}},
	} {
		if _, _, err := provider.FFHQFolder(t.Context(), fsys, opt); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	opt.Force = false
	var mismatch *provider.MismatchError
	if _, _, err := provider.FFHQFolder(t.Context(), fsys, opt); !errors.As(err, &mismatch) {
		t.Errorf("two faces: %v", err)
	}
}

// TestRealFFHQRank checks that the remaining columns have an invertible covariance: none is a linear function
// of the others to within 0.1% of its variance.
func TestRealFFHQRank(t *testing.T) {
	table, _, err := provider.FFHQ(open(t, "attributes/ffhq_features.csv.gz"), provider.DefaultSettings())
	must.Succeed(t, err)
	m := must.Get(table.Moments(2))
	s := m.Covariance()
	d := s.Rows
	r := make([][]float64, d) // the correlation matrix next to the identity, for Gauss-Jordan elimination
	for i := range r {
		r[i] = make([]float64, 2*d)
		r[i][d+i] = 1
		for j := range d {
			r[i][j] = s.At(i, j) / math.Sqrt(s.At(i, i)*s.At(j, j))
		}
	}
	for k := range d {
		pivot := r[k][k]
		if !(pivot > 0.001) {
			t.Fatalf("%s is a function of the columns before it: %.2g of its variance is left", table.Names[k], pivot)
		}
		for j := range r[k] {
			r[k][j] /= pivot
		}
		for i := range d {
			if c := r[i][k]; i != k && c != 0 {
				for j := range r[i] {
					r[i][j] -= c * r[k][j]
				}
			}
		}
	}
	for k := range d {
		if left := 1 / r[k][d+k]; left < 0.001 {
			t.Errorf("%s is a function of the others: %.2g of its variance is left", table.Names[k], left)
		}
	}
}

// TestFFHQFolderStops checks that a reader of many files stops when its context ends.
func TestFFHQFolderStops(t *testing.T) {
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	if _, _, err := provider.FFHQFolder(ctx, fstest.MapFS{"json/00000.json": {Data: []byte(faceJSON)}}, provider.DefaultSettings()); !errors.Is(err, why) {
		t.Errorf("got %v", err)
	}
}
