package files

import "testing"

func TestDateFormats(t *testing.T) {
	for code, want := range map[string]xlsxShow{
		"yyyy-mm-dd": xlsxDate, "mmm": xlsxDate, "d/m/yy h:mm": xlsxDate, "[$-409]mmmm yyyy;@": xlsxDate,
		"hh:mm:ss": xlsxTime, "mm:ss.0": xlsxTime, "[h]:mm": xlsxTime, "[mm]:ss": xlsxTime, "h:mm AM/PM": xlsxTime,
		"General": xlsxNumber, "0.00": xlsxNumber, `0.0" days"`: xlsxNumber, "[Red]0": xlsxNumber, "[Magenta]0": xlsxNumber, `0\d`: xlsxNumber, "#,##0_d": xlsxNumber, "@": xlsxNumber, "[h": xlsxTime,
	} {
		if got := shownAs(164, code); got != want {
			t.Errorf("%q is shown as %v, want %v", code, got, want)
		}
	}
}

// TestDays checks that days of both calendars give the same seconds, also before 1900-02-29, which only Excel
// has.
func TestDays(t *testing.T) {
	from1900, from1904 := &xlsxBook{epoch: epoch1900}, &xlsxBook{epoch: epoch1904}
	for _, c := range []struct {
		book  *xlsxBook
		days  float64
		shown xlsxShow
		want  float64
	}{
		{from1900, 25569, xlsxDate, 0}, {from1904, 24107, xlsxDate, 0}, {from1900, 25569.5, xlsxDate, 43200},
		{from1900, 61, xlsxDate, -2203891200}, {from1900, 59, xlsxDate, -2203977600}, // 1 March and 28 February 1900
		{from1900, 60, xlsxDate, -2203977600}, {from1900, 1, xlsxDate, -2208988800},
		{from1904, 1, xlsxDate, -2082758400}, {from1904, 60, xlsxDate, -2077660800}, // 2 January and 1 March 1904, without a missing day
		{from1900, 0.75, xlsxTime, 64800}, {from1904, 0.75, xlsxTime, 64800}, {from1900, 1.5, xlsxTime, 129600}, {from1900, 0.75, xlsxNumber, 0.75},
	} {
		if got := c.book.seconds(c.days, c.shown); got != c.want {
			t.Errorf("day %v is %v, want %v", c.days, got, c.want)
		}
	}
}
