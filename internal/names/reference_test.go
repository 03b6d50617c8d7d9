package names

import "testing"

// The reference of two categories is the control group, the absence or the negation, in any case; two other words have none.
func TestReference(t *testing.T) {
	for _, c := range []struct{ a, b string }{
		{"control", "treated"}, {"Placebo", "drug"}, {"no", "yes"}, {"none", "aspirin"}, {"not married", "married"}, {"non-smoker", "smoker"},
		{"Nonsmoker", "smoker"}, {"untreated", "treated"}, {"no pain", "Pain"}, {" sham ", "active"},
	} {
		if !Reference(c.a, c.b) || Reference(c.b, c.a) {
			t.Errorf("%q is not the reference of %q", c.a, c.b)
		}
	}
	for _, c := range []struct{ a, b string }{{"female", "male"}, {"control", "placebo"}, {"union", "member"}, {"north", "south"}, {"a", "b"}} {
		if Reference(c.a, c.b) || Reference(c.b, c.a) {
			t.Errorf("%q and %q have a reference", c.a, c.b)
		}
	}
}
