package sample

import "testing"

func Test(t *testing.T) {
	if Larger(1, 2) != 2 || Larger(2, 1) != 2 || Twice(0) != 0 {
		t.Fail()
	}
}
