package names

import "testing"

func TestCount(t *testing.T) {
	for want, got := range map[string]string{"1 row": Count(1, "row"), "0 rows": Count(0, "row"), "2 penalties": Count(2, "penalty"), "1 penalty": Count(1, "penalty")} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
