package files

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"slices"
	"strings"
)

// locate splits book.xlsx?sheet=people into path and options. If a file has that full name, the path has no options.
func locate(path string, opt Settings) (string, Settings, error) {
	k := strings.LastIndexByte(path, '?')
	if k < 0 {
		return path, opt, nil
	}
	if _, err := os.Lstat(path); err == nil {
		return path, opt, nil
	}
	base, tail := path[:k], path[k+1:]
	if !strings.Contains(tail, "=") {
		return path, opt, nil
	}
	values, err := url.ParseQuery(tail)
	if err != nil {
		return path, opt, fmt.Errorf("%s: what follows the ? cannot be read: %w; write ?sheet=NAME or ?array=NAME", path, err)
	}
	known := map[string]*string{"array": &opt.Array, "sheet": &opt.Sheet, "format": &opt.Format}
	for key, v := range values {
		p, ok := known[key]
		if !ok {
			words := strings.Join(slices.Sorted(maps.Keys(known)), ", ")
			return path, opt, fmt.Errorf("%s: unknown word %q after the ?; it takes %s", path, key, words)
		}
		*p = v[len(v)-1]
	}
	return base, opt, nil
}

// openPath opens a file or returns a one-line error.
func openPath(path string) (*os.File, fs.FileInfo, error) {
	f, err := os.Open(path)
	if err != nil {
		var p *fs.PathError
		if errors.As(err, &p) {
			err = p.Err
		}
		advice := "check the path and its permissions"
		if strings.Contains(path, "://") {
			advice = "download it first, because addresses are not read"
		}
		return nil, nil, fmt.Errorf("cannot read %s: %w; %s", path, err, advice)
	}
	st, err := f.Stat()
	if err == nil && st.IsDir() {
		err = errors.New("it is a directory; name a file")
	}
	if err != nil {
		f.Close()
		return nil, nil, fmt.Errorf("cannot read %s: %w", path, err)
	}
	return f, st, nil
}
