package absent

import "testing"

func TestClasses(t *testing.T) {
	for want, texts := range map[Class][]string{
		Always:       {"", " ", "NA", "na", "n/a", "N/A", "#N/A", "NaN", "nan", "-NaN", "+NaN", "?", " NA "},
		Seldom:       {"null", "NULL", "*"},
		AmongNumbers: {"None", "none", "NONE", "-", "."},
		Never:        {"no", "nil", "none ever", "nah", "0", "-1", "**", "..", "+", "Nan0", "ÑA", "#N/AA", "nones"},
	} {
		for _, text := range texts {
			if got := Of([]byte(text)); got != want {
				t.Errorf("%q has class %d, want %d", text, got, want)
			}
		}
	}
}
