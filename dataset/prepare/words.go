package prepare

import (
	"strings"
	"time"

	"github.com/polydag/polydag/dataset"
)

// A wordClass is a class of texts that represent numbers: a pair of words for true and false, dates, or times of day. A column is
// read as numbers only if all its texts are of one class.
type wordClass struct{ yes, no string }

// The classes are identified by their addresses and never change.
var (
	dates      = &wordClass{}
	times      = &wordClass{}
	truthPairs = [...]wordClass{{"true", "false"}, {"yes", "no"}, {"t", "f"}, {"y", "n"}, {"on", "off"}}
)

// note describes how a column of the class was read.
func (c *wordClass) note() string {
	switch c {
	case dates:
		return "seconds since 1970-01-01 UTC, from its dates"
	case times:
		return "seconds since midnight, from its times"
	}
	return "1 for " + c.yes + " and 0 for " + c.no
}

// numberOf returns the class of a text, nil if it has none, and the number that it represents: 1 or 0 for words, ignoring case,
// seconds since 1970-01-01 UTC for a date, and seconds since midnight for a time of day.
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

// dateForms are the forms of ISO 8601 that may follow a date; Go accepts decimals of the seconds in addition. Ambiguous dates such
// as 01/02/2024 are not read, nor are dates without a day.
var dateForms = [...]string{
	"2006-01-02T15:04:05", "2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05Z07", "2006-01-02T15:04", "2006-01-02T15:04Z07:00",
}

// parseDate parses a date, or a date and a time separated by T or a space. Without a zone it is UTC.
func parseDate(text string) (seconds float64, ok bool) {
	if len(text) == len("2006-01-02") {
		t, err := time.Parse("2006-01-02", text)
		return dataset.Seconds(t), err == nil
	}
	if text[10] == ' ' {
		text = text[:10] + "T" + text[11:]
	}
	if strings.Contains(text, ",") { // Go reads a comma as a decimal point
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

// parseTime parses a time of day.
func parseTime(text string) (seconds float64, ok bool) {
	t, err := time.Parse("15:04:05", text)
	if err != nil || strings.Contains(text, ",") {
		return 0, false
	}
	return float64(t.Hour()*3600+t.Minute()*60+t.Second()) + float64(t.Nanosecond())/1e9, true
}
