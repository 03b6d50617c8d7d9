package provider

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/matrix"
)

// An attributeList has the published properties of a list of binary face attributes.
type attributeList struct {
	want   string
	images int
	shares []known // shares of +1
	twin   twin
}

// A twin is the most similar list and the command that reads it.
type twin struct {
	images int
	use    string
}

var (
	celebA = attributeList{want: "CelebA's attribute list (list_attr_celeba.txt)", images: 202_599, shares: celebAShares,
		twin: twin{30_000, "CelebA-HQ's list (polydag dataset celeba-hq)"}}
	celebAHQ = attributeList{want: "CelebAMask-HQ's attribute list (CelebAMask-HQ-attribute-anno.txt)", images: 30_000, shares: celebAHQShares,
		twin: twin{202_599, "CelebA's list (polydag dataset celeba)"}}
)

// celebAShares are the shares of +1 in the published list, to four digits.
var celebAShares = []known{
	{"Male", 0.4168}, {"Young", 0.7736}, {"Bald", 0.0224}, {"Mustache", 0.0415},
	{"No_Beard", 0.8349}, {"Heavy_Makeup", 0.3869}, {"Wearing_Lipstick", 0.4724}, {"Gray_Hair", 0.0419},
}

var celebAHQShares = []known{
	{"Male", 0.3686}, {"Young", 0.7789}, {"Bald", 0.0237}, {"Mustache", 0.0578},
	{"No_Beard", 0.8109}, {"Heavy_Makeup", 0.4569}, {"Wearing_Lipstick", 0.5620}, {"Gray_Hair", 0.0414},
}

// shareTolerance is twenty times the rounding of the published shares, and a fortieth of the difference between
// the shares of Male in CelebA and CelebA-HQ.
const shareTolerance = 0.001

// PaperAttributes returns the eight attributes of the paper's CelebA study, in its order.
func PaperAttributes() []string {
	return []string{"Male", "Young", "Bald", "Mustache", "No_Beard", "Heavy_Makeup", "Wearing_Lipstick", "Gray_Hair"}
}

// CelebA reads CelebA's list_attr_celeba.txt: 202,599 images, 40 attributes, each −1 or 1. Line 1 is the number
// of images, line 2 the names, then one line per image. Runs of spaces separate fields, and lines end in CRLF
// or LF. It also reads the same list as a CSV whose header starts with image_id.
func CelebA(r io.Reader, opt Settings) (*dataset.NamedRows, []string, error) {
	return celebA.read(r, opt)
}

// CelebAHQ reads CelebAMask-HQ-attribute-anno.txt: 30,000 of CelebA's images with the same 40 attributes, in
// the same format. Settings.Split is an error, because the partition file has CelebA's image names.
func CelebAHQ(r io.Reader, opt Settings) (*dataset.NamedRows, []string, error) {
	if opt.Split != "" {
		return nil, nil, fmt.Errorf("%w: Split = %q is for CelebA only", ErrSettings, opt.Split)
	}
	return celebAHQ.read(r, opt)
}

func (a *attributeList) read(r io.Reader, opt Settings) (*dataset.NamedRows, []string, error) {
	if err := opt.Validate(); err != nil {
		return nil, nil, err
	}
	f := &findings{file: named(opt.File), want: a.want, force: opt.Force}
	text, err := unpack(r, f.file, a.want)
	if err != nil {
		return nil, nil, err
	}
	in := newLines(text)
	declared, names, err := a.header(in, f)
	if err != nil {
		return nil, nil, err
	}
	at, err := choose(names, opt.Attributes)
	if err != nil {
		return nil, nil, err
	}
	var part map[string]int8
	if opt.Split != "" {
		if part, err = readPartition(opt.Partition, f); err != nil {
			return nil, nil, err
		}
	}
	rows, err := a.rows(in, names, f)
	if err != nil {
		return nil, nil, err
	}
	a.check(rows, names, declared, f)
	if err := f.settle(); err != nil {
		return nil, nil, err
	}
	t, err := rows.table(names, at, part, opt, f)
	return t, f.notes, err
}

// header reads the count (0 if the file is a CSV, which has none) and the names.
func (a *attributeList) header(in *lines, f *findings) (declared int, names []string, err error) {
	first := in.next()
	if first == nil {
		return 0, nil, fmt.Errorf("%s: no line of text; expected %s", f.file, a.want)
	}
	if names = fields(first); len(names) > 0 && names[0] == "image_id" {
		names = names[1:]
	} else {
		declared, err = strconv.Atoi(strings.Join(names, " "))
		if err != nil || declared < 1 {
			return 0, nil, fmt.Errorf("%s: line 1 is %q, not a number of images; expected %s", f.file, shown(first), a.want)
		}
		second := in.next()
		if second == nil {
			return 0, nil, fmt.Errorf("%s ends after line 1; line 2 should be the names of the attributes: download it again", f.file)
		}
		if names = fields(second); len(names) > 0 && names[0] == "image_id" {
			names = names[1:]
		}
	}
	if len(names) < 2 {
		return 0, nil, fmt.Errorf("%s: line %d has %d attribute names; expected %s", f.file, in.n, len(names), a.want)
	}
	seen := make(map[string]bool, len(names))
	for _, name := range names {
		if seen[name] {
			return 0, nil, fmt.Errorf("%s: line %d has the name %q twice; expected %s", f.file, in.n, shown([]byte(name)), a.want)
		}
		seen[name] = true
	}
	if !slices.Equal(names, celebANames) {
		f.faultf("line %d should name CelebA's 40 attributes in their order, 5_o_Clock_Shadow to Young; it has %d names, %s to %s",
			in.n, len(names), shown([]byte(names[0])), shown([]byte(names[len(names)-1])))
	}
	return declared, names, nil
}

// signs are the rows of a list: one sign per value and one image name per row.
type signs struct {
	images []string
	value  []int8
	cut    bool // the text ends within a row, or its gzip data is truncated
}

// rows reads all rows. A faulty row is an error, except that the last one may be truncated.
func (a *attributeList) rows(in *lines, names []string, f *findings) (*signs, error) {
	s := &signs{}
	seen := make(map[string]bool)
	var bad error
	for line := in.next(); line != nil; line = in.next() {
		if bad != nil {
			return nil, bad
		}
		image, rest := cutField(line)
		start := len(s.value)
		if bad = s.parse(image, rest, names, in.n, f.file); bad != nil {
			s.value = s.value[:start]
			continue
		}
		name := string(image)
		if seen[name] {
			return nil, fmt.Errorf("%s: line %d: image %s is there twice; expected %s", f.file, in.n, shown(image), a.want)
		}
		seen[name] = true
		s.images = append(s.images, name)
	}
	err := in.err(f.file)
	if err != nil && err != io.ErrUnexpectedEOF {
		return nil, err
	}
	s.cut = err != nil || bad != nil && !in.whole
	if bad != nil && !s.cut {
		return nil, bad
	}
	return s, nil
}

// parse appends the values of one row.
func (s *signs) parse(image, rest []byte, names []string, line int, file string) error {
	n := 0
	for field, rest := cutField(rest); len(field) > 0; field, rest = cutField(rest) {
		if n == len(names) {
			n += len(fields(rest)) + 1
			break
		}
		switch string(field) {
		case "1":
			s.value = append(s.value, 1)
		case "-1":
			s.value = append(s.value, -1)
		default:
			return fmt.Errorf("%s: line %d, image %s, attribute %s: %q is not -1 or 1; download the list again, or correct the line",
				file, line, shown(image), names[n], shown(field))
		}
		n++
	}
	if n != len(names) {
		return fmt.Errorf("%s: line %d, image %s: %d values for %d attributes; download the list again, or correct the line",
			file, line, shown(image), n, len(names))
	}
	return nil
}

// check compares the rows with the published properties.
func (a *attributeList) check(s *signs, names []string, declared int, f *findings) {
	found := len(s.images)
	switch {
	case s.cut:
		f.faultf("it is cut off: %s rows expected, %s whole ones found; download it again", count(a.images), count(found))
	case found == a.twin.images:
		f.faultf("%s rows expected, %s found: that is the length of %s", count(a.images), count(found), a.twin.use)
	case found != a.images:
		f.faultf("%s rows expected, %s found", count(a.images), count(found))
	}
	if declared > 0 && declared != found && declared != a.images {
		f.faultf("its line 1 says %s rows", count(declared))
	}
	if found != a.images {
		return
	}
	f.means("the share of +1", a.shares, shareTolerance, func(column string) (float64, bool) {
		j := slices.Index(names, column)
		if j < 0 {
			return 0, false
		}
		plus := 0
		for i := range found {
			if s.value[i*len(names)+j] > 0 {
				plus++
			}
		}
		return float64(plus) / float64(found), true
	})
}

// table keeps the given columns, and the rows of the split up to the requested number.
func (s *signs) table(names []string, at []int, part map[string]int8, opt Settings, f *findings) (*dataset.NamedRows, error) {
	split := int8(slices.Index(splits, opt.Split))
	var keep []int
	for i, image := range s.images {
		if len(keep) == opt.Rows {
			break
		}
		if part != nil {
			in, ok := part[image]
			if !ok {
				return nil, fmt.Errorf("the partition file lacks image %s; it belongs to another list", image)
			}
			if in != split {
				continue
			}
		}
		keep = append(keep, i)
	}
	if len(keep) < 2 {
		return nil, fmt.Errorf("%s: %d rows are left; a graph needs at least 2", f.file, len(keep))
	}
	if part != nil {
		f.notef("split %s: %s of %s rows", opt.Split, count(len(keep)), count(len(s.images)))
	}
	t := &dataset.NamedRows{Rows: matrix.New[float64](len(keep), len(at))}
	for _, i := range keep {
		t.Images = append(t.Images, s.images[i])
	}
	for k, j := range at {
		t.Names = append(t.Names, names[j])
		for to, i := range keep {
			t.Rows.Set(to, k, float64(s.value[i*len(names)+j]))
		}
	}
	return t, nil
}

func named(file string) string {
	if file == "" {
		return "the file"
	}
	return file
}
