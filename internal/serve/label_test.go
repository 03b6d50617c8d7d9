package serve

import (
	"regexp"
	"strings"
	"testing"

	"github.com/polydag/polydag/fault"
)

// TestLabel checks that a remedy uses the labels of the form and never a flag.
func TestLabel(t *testing.T) {
	for _, c := range []struct {
		remedy fault.Remedy
		want   string
	}{
		{fault.Columns("drop", "employee_id"), "“exclude the column employee_id”"},
		{fault.Columns("drop", "a", "b"), "“exclude the columns a, b”"},
		{fault.Columns("drop", strings.Split("a b c d e f g h i j k", " ")...), "“exclude the columns a, b, c and 8 more”"},
		{fault.Set("missing", "drop"), "“Missing values: drop the rows”"},
		{fault.Set("encode", "onehot"), "“Text columns: one-hot”"},
		{fault.Set("bootstrap", "200"), "“Bootstrap samples: 200”"},
		{fault.Use("forbid"), "“Forbidden edges”"},
		{fault.Use("drop"), "“Columns”"},
		{fault.Set("normal-scores", "true"), "the option normal-scores of polydag learn"},
		{fault.Set("na", "-99"), "the option na=-99 of polydag learn"},
		{fault.Columns("log", "x", "y"), "the option log=x,y of polydag learn"},
	} {
		if got := Label(c.remedy); got != c.want {
			t.Errorf("%v: %s, want %s", c.remedy, got, c.want)
		}
	}
}

// TestFormHasTheLabels checks that the form has the labels and the choices that errors name.
func TestFormHasTheLabels(t *testing.T) {
	html, err := assets.ReadFile("assets/index.html")
	if err != nil {
		t.Fatal(err)
	}
	plain := regexp.MustCompile(` title="[^"]*"`).ReplaceAllString(string(html), "")
	for setting, label := range fields {
		if !strings.Contains(plain, `<label for="`+setting+`">`+label) {
			t.Errorf("the form has no field %s with the label %q", setting, label)
		}
	}
	for choice, words := range choices {
		setting, value, _ := strings.Cut(choice, "=")
		of := regexp.MustCompile(`(?s)<select id="` + setting + `">.*?</select>`).FindString(string(html))
		if !strings.Contains(of, `<option value="`+value+`">`+words+`</option>`) {
			t.Errorf("the field %s has no choice %s with the words %q", setting, value, words)
		}
	}
}
