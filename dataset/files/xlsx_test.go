package files

import "testing"

func TestDateFormats(t *testing.T) {
	for code, want := range map[string]bool{"yyyy-mm-dd": true, "General": false, "0.00": false, `0.0" days"`: false, "[h]:mm": true, "[Red]0": false, `0\d`: false, "#,##0_d": false, "@": false} {
		if got := isDateFormat(164, code); got != want {
			t.Errorf("%q is a date: %v", code, got)
		}
	}
	if !isDateFormat(14, "") || isDateFormat(2, "") {
		t.Error("built-in formats")
	}
}
