package role

import (
	"strings"
	"unicode"
)

// split returns the words of a name in lower case: it cuts at signs, between lower and upper case (nativeBorn, BPSystolic)
// and between letters and digits. Letters of scripts without case stay together.
func split(name string) []string {
	runes := []rune(name)
	var words []string
	start := 0
	cut := func(end int) {
		if end > start {
			words = append(words, strings.ToLower(string(runes[start:end])))
		}
		start = end
	}
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r):
			cut(i)
			start = i + 1
		case i == start:
		case unicode.IsDigit(r) != unicode.IsDigit(runes[i-1]),
			unicode.IsUpper(r) && unicode.IsLower(runes[i-1]),
			unicode.IsUpper(runes[i-1]) && unicode.IsLower(r) && i-1 > start:
			if unicode.IsUpper(runes[i-1]) && unicode.IsLower(r) {
				cut(i - 1)
			} else {
				cut(i)
			}
		}
	}
	cut(len(runes))
	for i, w := range words {
		words[i] = singular(w)
	}
	return words
}

// durations keep their s: it tells a length of time (days) from a date (day), or belongs to the word.
var durations = setOf("days weeks months years hours hrs yrs times minutes seconds cens temps pays")

// singular removes the ending of an English plural. It is applied to names and to the list of meanings alike, so that an
// ending that is none does no harm.
func singular(w string) string {
	switch {
	case durations[w] || len(w) < 4 || !strings.HasSuffix(w, "s"):
		return w
	case strings.HasSuffix(w, "ies"):
		return strings.TrimSuffix(w, "ies") + "y"
	case strings.HasSuffix(w, "ss"), strings.HasSuffix(w, "us"), strings.HasSuffix(w, "is"):
		return w
	}
	return strings.TrimSuffix(w, "s")
}

// setOf returns the words of a text as a set.
func setOf(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(text) {
		set[w] = true
	}
	return set
}

var (
	// qualifiers are words that say how a quantity is written, not what it is: log_income, age_cat, income_usd.
	qualifiers = setOf(`log ln sqrt sq squared cat category categorical grp gp group class code coded num number nr no level lvl bin
		band bracket range type factor fac ind indicator dummy dum flag var value val std scaled mean avg average median total tot
		cm mm kg lb lbs km usd eur euro dollar pct percent ft inch yrs years yr year months mo days new raw rec recode recoded self
		reported estimated est current actual is has the my annual monthly weekly daily numeric binary cont mensual anual mensuel annuel mensal`)
	// shortPieces are words of three letters that are common in names written together.
	shortPieces = setOf("age sex inc edu pre log cat grp fam kid mom dad num avg pct tot yrs job hus bmi")
	// wholeWords only look as if they were written together.
	wholeWords = setOf("postage parentage percentage mileage acreage manager prepay overweight underage")
	// logged are words that are often written with an l for the logarithm in front.
	logged = setOf("wage income inc faminc price salary sale rent hours dose")
	// persons are words for whom a quantity is of: wife_age, customer_income.
	persons = setOf(`wife husband spouse partner mother father mom dad mum parent head hh household respondent resp patient customer
		client student pupil employee worker owner boss teacher child kid person individual user subject applicant borrower passenger
		host guest donor recipient victim offender voter rater family fam hus driver head hhead male female man woman`)
	parents = setOf("mother father mom dad mum parent parental maternal paternal mutter vater mère père madre padre mãe pai")
	// fillers are prepositions and articles.
	fillers = setOf("of at in by per for to from since until before after with on de du des der von vom bei im del da do à al en a an the la le")
	// shares turn a property of a person into one of a group of people: pct_female, sex_ratio.
	shares = setOf("pct percent percentage perc prop proportion share ratio fraction frac rate density index gap difference diff prevalence incidence count")
	// early and late words order two measurements of one quantity: prewt, postwt.
	earlyWords = setOf("pre baseline base initial before prior previous prev first start entry lag lagged pretest pretreatment vorher")
	lateWords  = setOf("post fup after follow followup final last end endpoint posttest nachher")
	// moments are units of time that number measurements of one quantity: week4, visit2.
	moments = setOf("week wk day month visit wave time year hour hr minute min session occasion round period stage phase")
)
