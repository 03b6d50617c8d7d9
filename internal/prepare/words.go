package prepare

import (
	"strings"
	"time"

	"github.com/polydag/polydag/dataset"
)

// A wordClass is a class of texts that stand for numbers: a pair of words for true and false, dates, or times of day. All texts of a
// column must be of one class to be read as numbers.
type wordClass struct{ yes, no string }

// The classes are told apart by their addresses, and never changed.
var (
	dates      = &wordClass{}
	times      = &wordClass{}
	truthPairs = [...]wordClass{{"true", "false"}, {"yes", "no"}, {"t", "f"}, {"y", "n"}, {"on", "off"}}
)

// note says what a column of the class was read as.
func (c *wordClass) note() string {
	switch c {
	case dates:
		return "seconds since 1970-01-01 UTC, from its dates"
	case times:
		return "seconds since midnight, from its times"
	}
	return "1 for " + c.yes + " and 0 for " + c.no
}

// numberOf returns the class that a text belongs to, nil if none, and the number that it stands for: 1 or 0 for words, whose case
// does not count, seconds since 1970-01-01 UTC for a date, seconds since midnight for a time of day.
func numberOf(text []byte) (class *wordClass, x float64) {
	switch {
	case len(text) >= len("2006-01-02") && text[4] == '-' && text[7] == '-':
		if x, ok := parseDate(string(text)); ok {
			return dates, x
		}
		return nil, 0
	case len(text) >= len("15:04:05") && text[2] == ':' && text[5] == ':':
		if x, ok := parseTime(string(text)); ok {
			return times, x
		}
		return nil, 0
	case len(text) > len("false"):
		return nil, 0
	}
	word := strings.ToLower(string(text))
	for i := range truthPairs {
		switch p := &truthPairs[i]; word {
		case p.yes:
			return p, 1
		case p.no:
			return p, 0
		}
	}
	return nil, 0
}

// dateForms are the forms of ISO 8601 that programs write after a date; Go reads decimals of the seconds without being told. Dates such as
// 01/02/2024, which have more than one meaning, are not read, nor are those of which only the month is known.
var dateForms = [...]string{
	"2006-01-02T15:04:05", "2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05Z07", "2006-01-02T15:04", "2006-01-02T15:04Z07:00",
}

// parseDate reads a date, or a date and a time with T or a space between. Without a zone it is UTC.
func parseDate(text string) (seconds float64, ok bool) {
	if len(text) == len("2006-01-02") {
		t, err := time.Parse("2006-01-02", text)
		return dataset.Seconds(t), err == nil
	}
	if text[10] == ' ' {
		text = text[:10] + "T" + text[11:]
	}
	if strings.Contains(text, ",") { // for Go a decimal point, for a reader perhaps not
		return 0, false
	}
	for _, form := range dateForms {
		if t, err := time.Parse(form, text); err == nil {
			return dataset.Seconds(t), true
		}
	}
	return 0, false
}

// Date returns the seconds since 1970-01-01 UTC of a date in ISO 8601, also of a month such as 2024-01.
func Date(text []byte) (seconds float64, ok bool) {
	if t, err := time.Parse("2006-01", string(text)); err == nil {
		return dataset.Seconds(t), true
	}
	class, x := numberOf(text)
	return x, class == dates
}

// parseTime reads a time of day.
func parseTime(text string) (seconds float64, ok bool) {
	t, err := time.Parse("15:04:05", text)
	if err != nil || strings.Contains(text, ",") {
		return 0, false
	}
	return float64(t.Hour()*3600+t.Minute()*60+t.Second()) + float64(t.Nanosecond())/1e9, true
}
