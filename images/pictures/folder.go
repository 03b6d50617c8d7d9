package pictures

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// A Folder has the images. No name leads out of it.
type Folder struct {
	root  *os.Root
	files map[string]string // path of each file, by its path, its base name, and both without an extension
	dir   string
	large sync.Mutex // held while a large image is in memory
}

// ambiguous is the path of a short name that several files have.
const ambiguous = "/"

var (
	errMissing   = errors.New("the file is missing")
	errAmbiguous = errors.New("several files have this name; add the sub-folder to the name")
	errOutside   = errors.New("the name leads out of the folder")
	errName      = errors.New("not a file name")
)

// Open opens a folder and lists its files, those of sub-folders included. It does not follow links to folders.
func Open(dir string) (*Folder, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	f := &Folder{root: root, dir: dir, files: map[string]string{}}
	short := map[string]string{}
	err = fs.WalkDir(root.FS(), ".", func(p string, e fs.DirEntry, err error) error {
		if err != nil && p != "." { // a folder that cannot be read
			return fs.SkipDir
		}
		if err != nil || e.IsDir() {
			return err
		}
		f.files[p] = p
		for _, key := range keys(p) {
			if had, ok := short[key]; ok && had != p {
				short[key] = ambiguous
			} else {
				short[key] = p
			}
		}
		return nil
	})
	if err != nil {
		root.Close()
		return nil, err
	}
	for key, p := range short { // the full path of a file takes precedence over a short name
		if _, ok := f.files[key]; !ok {
			f.files[key] = p
		}
	}
	return f, nil
}

// keys returns the shorter names of a file: without its extension, without its folder, without both, and without
// leading zeros, because a table may hold 000001 as a number.
func keys(p string) []string {
	stem := strings.TrimSuffix(p, path.Ext(p))
	list := []string{stem, path.Base(p), path.Base(stem)}
	if digits := path.Base(stem); strings.Trim(digits, "0123456789") == "" {
		if number := strings.TrimLeft(digits, "0"); number != "" {
			return append(list, number)
		}
		return append(list, "0")
	}
	return list
}

// Images returns the paths of the files whose extension is that of an image, sorted.
func (f *Folder) Images() []string {
	var list []string
	for name, p := range f.files {
		if name == p && slices.Contains([]string{".jpg", ".jpeg", ".png", ".webp", ".gif"}, strings.ToLower(path.Ext(p))) {
			list = append(list, p)
		}
	}
	slices.Sort(list)
	return list
}

// Info returns the size and the time of a file.
func (f *Folder) Info(p string) (fs.FileInfo, error) { return f.root.Stat(filepath.FromSlash(p)) }

// Close closes the folder.
func (f *Folder) Close() error { return f.root.Close() }

// Find returns the path of an image within the folder from its name in a table.
func (f *Folder) Find(name string) (string, error) {
	clean, err := local(name)
	if err != nil {
		return "", err
	}
	for _, n := range []string{name, clean} {
		switch p, ok := f.files[n]; {
		case ok && p == ambiguous:
			return "", errAmbiguous
		case ok:
			return p, nil
		}
	}
	if !strings.Contains(clean, "/") {
		return "", errMissing
	}
	// The name may lead through a link to another folder.
	switch _, err := f.root.Stat(filepath.FromSlash(clean)); {
	case err == nil:
		return clean, nil
	case errors.Is(err, fs.ErrNotExist):
		return "", errMissing
	default:
		return "", errOutside
	}
}

// local returns a name as a relative path with slashes, or the reason why it is none.
func local(name string) (string, error) {
	slashed := strings.ReplaceAll(name, `\`, "/")
	drive := len(name) > 1 && name[1] == ':'
	switch {
	case strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }), strings.Contains(name, "://"):
		return "", errName
	case path.IsAbs(slashed) || drive:
		return "", errOutside
	}
	clean := path.Clean(slashed)
	if clean == ".." || strings.HasPrefix(clean, "../") {
		return "", errOutside
	}
	if clean == "." || !fs.ValidPath(clean) {
		return "", errName
	}
	return clean, nil
}

// open opens an image. Links that lead out of the folder and everything but regular files are errors.
func (f *Folder) open(p string) (*os.File, error) {
	p = filepath.FromSlash(p)
	info, err := f.root.Stat(p)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, errMissing
	case err != nil:
		return nil, refusal(err)
	case !info.Mode().IsRegular():
		return nil, errors.New("not a regular file")
	case info.Size() > mostBytes:
		return nil, fmt.Errorf("%d bytes, limit %d", info.Size(), int64(mostBytes))
	}
	file, err := f.root.Open(p)
	if err != nil {
		return nil, refusal(err)
	}
	return file, nil
}

// refusal returns the reason of a failed call without the path, which the message has already.
func refusal(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	if strings.Contains(err.Error(), "escapes") {
		return errOutside
	}
	return err
}
