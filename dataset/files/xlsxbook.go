package files

import (
	"archive/zip"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/polydag/polydag/fault"
)

// xlsxBook is the content of a workbook outside its sheets.
type xlsxBook struct {
	file   string
	zip    *zip.Reader
	sheets []xlsxSheet
	epoch  float64 // 1970-01-01 in the workbook's day count
	shared sharedTexts
	memory budget     // budget for everything kept from the workbook
	shows  []xlsxShow // display type of each cell style
}

type xlsxSheet struct{ name, member string }

// smallPart limits the parts of a workbook that are read at once, except shared texts. Decoded they take up to 16 times as much.
func smallPart(opt Settings) int64 { return min(16<<20, opt.MaxMemory/32) }

// sharedTexts are the texts that cells share: all bytes in sequence, and the end of each text. A text takes only 8 bytes besides
// its own, so millions of empty texts fit a small budget.
type sharedTexts struct {
	bytes []byte
	ends  []int
}

func (s *sharedTexts) add(memory *budget, text string) (err error) {
	const what = "the shared texts"
	if s.bytes, err = grown(memory, s.bytes, len(text), what); err != nil {
		return err
	}
	if s.ends, err = grown(memory, s.ends, 1, what); err != nil {
		return err
	}
	s.bytes = append(s.bytes, text...)
	s.ends = append(s.ends, len(s.bytes))
	return nil
}

func (s *sharedTexts) at(k int) string {
	start := 0
	if k > 0 {
		start = s.ends[k-1]
	}
	return string(s.bytes[start:s.ends[k]])
}

func readBook(file string, z *zip.Reader, opt Settings) (*xlsxBook, error) {
	b := &xlsxBook{file: file, zip: z, epoch: epoch1900}
	// The XML decoder produces as much garbage as data, so half of the memory is for the data.
	b.memory.file, b.memory.limit = file, opt.MaxMemory/2
	var book struct {
		Pr struct {
			Date1904 string `xml:"date1904,attr"`
		} `xml:"workbookPr"`
		Sheets []struct {
			Name string `xml:"name,attr"`
			ID   string `xml:"http://schemas.openxmlformats.org/officeDocument/2006/relationships id,attr"`
		} `xml:"sheets>sheet"`
	}
	var rels struct {
		List []struct {
			ID     string `xml:"Id,attr"`
			Target string `xml:"Target,attr"`
		} `xml:"Relationship"`
	}
	var styles struct {
		Formats []struct {
			ID   int    `xml:"numFmtId,attr"`
			Code string `xml:"formatCode,attr"`
		} `xml:"numFmts>numFmt"`
		Cells []struct {
			Format int `xml:"numFmtId,attr"`
		} `xml:"cellXfs>xf"`
	}
	for _, part := range []struct {
		name     string
		into     any
		optional bool
	}{{"xl/workbook.xml", &book, false}, {"xl/_rels/workbook.xml.rels", &rels, false}, {"xl/styles.xml", &styles, true}} {
		if err := b.part(part.name, part.into, part.optional, smallPart(opt)); err != nil {
			return nil, err
		}
	}
	if v := book.Pr.Date1904; v == "1" || v == "true" {
		b.epoch = epoch1904
	}
	codes := map[int]string{}
	for _, f := range styles.Formats {
		codes[f.ID] = f.Code
	}
	for _, c := range styles.Cells {
		b.shows = append(b.shows, shownAs(c.Format, codes[c.Format]))
	}
	targets := map[string]string{}
	for _, r := range rels.List {
		targets[r.ID] = r.Target
	}
	for _, s := range book.Sheets {
		if to := targets[s.ID]; strings.Contains(to, "worksheets/") { // skip chart sheets
			b.sheets = append(b.sheets, xlsxSheet{s.Name, target(to)})
		}
	}
	return b, nil
}

// part reads a small part of the workbook.
func (b *xlsxBook) part(name string, into any, optional bool, most int64) error {
	f, err := b.open(name)
	if err != nil {
		if optional {
			return nil
		}
		return located(b.file, ErrDamaged, "it has no %s", name)
	}
	defer f.Close()
	limited := &io.LimitedReader{R: f, N: most}
	if err := xml.NewDecoder(limited).Decode(into); err != nil {
		if limited.N <= 0 {
			return located(b.file, ErrLimit, "%s is longer than %d MB", name, most/1e6)
		}
		return located(b.file, ErrDamaged, "%s: %v", name, err)
	}
	return nil
}

func (b *xlsxBook) open(name string) (io.ReadCloser, error) {
	for _, f := range b.zip.File {
		if strings.EqualFold(f.Name, name) {
			return f.Open()
		}
	}
	return nil, errors.New("not there")
}

func (b *xlsxBook) names() (names []string) {
	for _, s := range b.sheets {
		names = append(names, s.name)
	}
	return names
}

// choose returns the sheet with the given name, or the only one.
func (b *xlsxBook) choose(name string) (*zip.File, error) {
	names, member := b.names(), ""
	for _, s := range b.sheets {
		if s.name == name || name == "" && len(b.sheets) == 1 {
			member = s.member
		}
	}
	switch {
	case len(names) == 0:
		return nil, located(b.file, ErrNoTable, "the workbook has no sheet")
	case member == "" && name == "":
		return nil, choiceOf(b.file, fault.Set("sheet", names[0]), "its sheets are %s", strings.Join(names, ", "))
	case member == "":
		return nil, located(b.file, ErrNoTable, "there is no sheet %q; there are %s", name, strings.Join(names, ", "))
	}
	for _, f := range b.zip.File {
		if strings.EqualFold(f.Name, member) {
			return f, nil
		}
	}
	return nil, located(b.file, ErrDamaged, "it has no %s", member)
}

// readShared reads the shared texts. It joins formatted runs and skips phonetic hints.
func (b *xlsxBook) readShared(opt Settings) error {
	f, err := b.open("xl/sharedStrings.xml")
	if err != nil {
		return nil // a workbook without texts, or with texts inside the cells
	}
	defer f.Close()
	limit := &tokenLimit{r: f, most: opt.CSV.MaxLine + 1<<16}
	d := xml.NewDecoder(limit)
	var text strings.Builder
	inside, phonetic := false, 0
	for {
		limit.left = limit.most
		token, err := d.RawToken()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return located(b.file, ErrDamaged, "the shared texts: %v", err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			switch t.Name.Local {
			case "si":
				text.Reset()
			case "t":
				inside = phonetic == 0
			case "rPh":
				phonetic++
			}
		case xml.CharData:
			if inside {
				text.Write(t)
			}
		case xml.EndElement:
			switch t.Name.Local {
			case "t":
				inside = false
			case "rPh":
				phonetic--
			case "si":
				if err := b.shared.add(&b.memory, text.String()); err != nil {
					return err
				}
			}
		}
	}
}

// cell returns the value of a cell with this type, style and text; ok is false if it is empty. Days become seconds, as in every
// format.
func (b *xlsxBook) cell(kind, style, text string) (c xlsxCell, ok bool, err error) {
	switch kind {
	case "s":
		k, err := strconv.Atoi(text)
		if err != nil || k < 0 || k >= len(b.shared.ends) {
			return c, false, fmt.Errorf("a cell has the shared text %q, there are %d", text, len(b.shared.ends))
		}
		text = b.shared.at(k)
	case "b", "n", "":
		if text == "" {
			return c, false, nil
		}
		if c.value, err = strconv.ParseFloat(text, 64); err != nil && !errors.Is(err, strconv.ErrRange) {
			return c, false, fmt.Errorf("a cell has the number %q", text)
		}
		if k, err := strconv.Atoi(style); err == nil && kind != "b" && k >= 0 && k < len(b.shows) {
			c.shown = b.shows[k]
			c.value = b.seconds(c.value, c.shown)
		}
		return c, true, nil
	}
	if text = strings.TrimSpace(text); text == "" {
		return c, false, nil
	}
	c.text, c.isText = text, true
	return c, true, nil
}

// An xlsxShow is the display type of a number.
type xlsxShow int

const (
	xlsxNumber xlsxShow = iota
	xlsxDate            // days since the workbook's day 0
	xlsxTime            // a fraction of a day, or a duration in days
)

// seconds converts days to seconds, rounded to milliseconds, the resolution of Excel. Excel counts a nonexistent 29 February 1900
// as day 60, so earlier days are off by one.
func (b *xlsxBook) seconds(days float64, shown xlsxShow) float64 {
	switch {
	case shown == xlsxNumber:
		return days
	case shown == xlsxDate && b.epoch == epoch1900 && days < 60:
		days -= b.epoch - 1
	case shown == xlsxDate:
		days -= b.epoch
	}
	return math.Round(days*86400*1e3) / 1e3
}

// epoch1900 and epoch1904 are 1970-01-01 in the day counts that start in 1900 and in 1904.
const epoch1900, epoch1904 = 25569, 24107

// shownAs returns the display type of a number format: built-in formats by number, others by their letters outside quotes, brackets
// and escapes. A format with hours or seconds but without days or years is a time.
func shownAs(id int, code string) xlsxShow {
	switch {
	case id >= 18 && id <= 21 || id >= 45 && id <= 47:
		return xlsxTime
	case id >= 14 && id <= 22 || id >= 27 && id <= 36 || id >= 50 && id <= 58:
		return xlsxDate
	case strings.EqualFold(code, "general"):
		return xlsxNumber
	}
	code = strings.ToLower(code)
	quoted, date, clock := false, false, false
	for i := 0; i < len(code); i++ {
		switch c := code[i]; {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[':
			inside, _, _ := strings.Cut(code[i+1:], "]")
			clock = clock || inside != "" && strings.Trim(inside, "hms") == "" // [h]:mm, a duration
			i += len(inside) + 1
		case c == '\\' || c == '_' || c == '*':
			i++
		case c == 'h' || c == 's':
			clock = true
		case c == 'd' || c == 'y':
			date = true
		case c == 'm': // months, or minutes next to hours or seconds
			date = date || !strings.ContainsAny(code, "hs")
		}
	}
	switch {
	case date:
		return xlsxDate
	case clock:
		return xlsxTime
	}
	return xlsxNumber
}

// Sheets returns the names of the sheets of an Excel file, and nil for other formats.
func (in *Input) Sheets() ([]string, error) {
	if in.Format != XLSX || in.from == nil {
		return nil, nil
	}
	size, err := in.from.Size()
	if err != nil {
		return nil, in.readFault(err)
	}
	z, err := zip.NewReader(in.from, size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return nil, located(in.Name, ErrDamaged, "%v", err)
	}
	book, err := readBook(in.Name, z, in.opt)
	if err != nil {
		return nil, err
	}
	return book.names(), nil
}
