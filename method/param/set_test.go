package param_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/method/param"
)

type word string

type settings struct {
	Steps    int
	Rate     float64
	Verbose  bool
	Schedule word
	HTol     float64
	K        param.Count
	Bits     int
}

func defaults() *settings {
	return &settings{Steps: 10, Rate: 0.5, Schedule: "fast", HTol: 1e-8, K: param.Count{N: 16, May: "d all"}, Bits: 64}
}

func (m *settings) Params(s *param.Set) {
	s.Int(&m.Steps, "steps", "steps to take", param.AtLeast(1), param.AtMost(100))
	s.Float(&m.Rate, "learning-rate", "rate", param.Above(0), param.Below(1))
	s.Bool(&m.Verbose, "verbose", "say more")
	param.Word(s, &m.Schedule, "schedule", "which", word("fast"), word("slow"))
	s.Float(&m.HTol, "htol", "tolerance", param.Above(0), param.When(func() bool { return m.Schedule == "slow" }))
	s.Count(&m.K, "k", "order", param.AtLeast(1))
	param.Bits(s, &m.Bits, "bits", "precision")
	s.Require(func() *param.Fault {
		if m.Rate*float64(m.Steps) <= 50 {
			return nil
		}
		return &param.Fault{Setting: "steps", Value: "too many", Want: "at most 50 in all"}
	})
}

func TestSetReachesTheField(t *testing.T) {
	m := defaults()
	s := param.Of(m)
	for name, text := range map[string]string{"steps": "7", "learning-rate": "0.25", "verbose": "true", "schedule": "slow", "k": "d", "bits": "32"} {
		if err := s.Set(name, text); err != nil {
			t.Errorf("%s = %s: %v", name, text, err)
		}
	}
	must.Succeed(t, s.Finish())
	if m.Steps != 7 || m.Rate != 0.25 || !m.Verbose || m.Schedule != "slow" || m.K.Or(99) != 99 || m.Bits != 32 {
		t.Errorf("the fields are %+v", m)
	}
	if !s.Given("steps") || s.Given("htol") {
		t.Error("Given does not tell what was set")
	}
	if s.Lookup("steps").Default != "10" {
		t.Errorf("the default of steps is now %s", s.Lookup("steps").Default)
	}
}

func TestFinishReportsAllFaultsAtOnce(t *testing.T) {
	m := defaults()
	m.Steps, m.Rate, m.Schedule, m.K.N, m.Bits = 0, 1, "none", 0, 16
	err := param.Of(m).Finish()
	for _, want := range []string{
		"steps = 0, want a whole number of at least 1 and at most 100",
		"learning-rate = 1, want a number of more than 0 and less than 1",
		`schedule = "none", want one of fast, slow`,
		"k = 0, want a whole number of at least 1, or d, or all",
		"bits = 16, want one of 64, 32",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the faults do not say %q: %v", want, err)
		}
	}
	m = defaults()
	m.Steps, m.Rate = 100, 0.9
	if err := param.Of(m).Finish(); err == nil || !strings.Contains(err.Error(), "at most 50 in all") {
		t.Errorf("a rule over two settings is not checked: %v", err)
	}
}

func TestSetRefuses(t *testing.T) {
	for _, c := range []struct{ name, text string }{{"steps", "x"}, {"learning-rate", ""}, {"verbose", "perhaps"}, {"schedule", "Fast"}, {"k", "e"}, {"other", "1"}} {
		m := defaults()
		err := param.Of(m).Set(c.name, c.text)
		var f *param.Fault
		if !errors.As(err, &f) || f.Setting != c.name || f.Want == "" || f.Unknown != (c.name == "other") {
			t.Errorf("%s = %q: %v", c.name, c.text, err)
		}
		if *m != *defaults() {
			t.Errorf("%s = %q changed the settings", c.name, c.text)
		}
	}
	for _, v := range []string{"NaN", "Inf", "-Inf"} {
		s := param.Of(defaults())
		if err := errors.Join(s.Set("htol", v), s.Finish()); err == nil {
			t.Errorf("htol = %s is taken", v)
		}
	}
}

// TestBounds checks values at a bound, which At… includes and Above and Below exclude, and beyond it.
func TestBounds(t *testing.T) {
	for _, c := range []struct {
		name, text string
		valid      bool
	}{
		{"steps", "0", false}, {"steps", "1", true}, {"steps", "100", true}, {"steps", "101", false},
		{"learning-rate", "-0.1", false}, {"learning-rate", "0", false}, {"learning-rate", "1e-9", true}, {"learning-rate", "0.999", true},
		{"learning-rate", "1", false}, {"learning-rate", "1.5", false},
	} {
		m := defaults()
		m.Rate, m.Steps = 0.1, 10
		s := param.Of(m)
		if err := errors.Join(s.Set(c.name, c.text), s.Finish()); (err == nil) != c.valid {
			t.Errorf("%s = %s: %v", c.name, c.text, err)
		}
	}
}

func TestRecordHasWhatIsUsed(t *testing.T) {
	m := defaults()
	b, err := json.Marshal(param.Of(m).Record())
	const want = `{"steps":10,"learning_rate":0.5,"verbose":false,"schedule":"fast","k":16,"bits":64}`
	if err != nil || string(b) != want {
		t.Errorf("the record is %s, want %s (%v)", b, want, err)
	}
	m.Schedule, m.K.Word = "slow", "d"
	b, _ = json.Marshal(param.Of(m).Record())
	if !strings.Contains(string(b), `"htol":1e-8,"k":"d"`) {
		t.Errorf("the record is %s", b)
	}
	var back param.Record
	if err := json.Unmarshal(b, &back); err != nil || back.Get("k") != "d" || back[0].Key != "steps" {
		t.Errorf("read back: %v, %v", back, err)
	}
	again, _ := json.Marshal(back)
	if string(again) != string(b) {
		t.Errorf("written again: %s", again)
	}
	if err := json.Unmarshal([]byte(`[1]`), &back); err == nil {
		t.Error("a list is read as a record")
	}
}

// TestRecordKeepsCharacters checks that the encoder of the whole decides whether < > & are escaped.
func TestRecordKeepsCharacters(t *testing.T) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(param.Record{{Key: "knowledge", Value: "a->b"}}); err != nil || b.String() != "{\"knowledge\":\"a->b\"}\n" {
		t.Errorf("%s, %v", b.String(), err)
	}
}
