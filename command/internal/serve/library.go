package serve

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/polydag/polydag"
)

// Entry is one result file of the folder in the list.
type Entry struct {
	Name     string    `json:"name"`
	Bytes    int64     `json:"bytes"`
	Modified time.Time `json:"modified"`
	// TooLarge means that the file is larger than polydag.MaxResultBytes: it can be downloaded but not shown.
	TooLarge bool `json:"too_large,omitempty"`
}

// progressSuffix is the suffix of the progress files of other runs.
const progressSuffix = ".progress.json"

// list returns the results in the folder, newest first, and the progress of other runs.
func (s *Server) list() ([]Entry, []Run) {
	files, err := fs.ReadDir(s.root.FS(), ".")
	if err != nil {
		return nil, nil
	}
	var results []Entry
	var elsewhere []Run
	for _, f := range files {
		info, err := f.Info()
		if err != nil || !info.Mode().IsRegular() || !strings.HasSuffix(f.Name(), ".json") || strings.HasPrefix(f.Name(), ".") {
			continue
		}
		if strings.HasSuffix(f.Name(), progressSuffix) {
			if text, err := s.small(f.Name()); err == nil {
				if run, err := readRun(text); err == nil {
					elsewhere = append(elsewhere, run)
				}
			}
			continue
		}
		if e := (Entry{f.Name(), info.Size(), info.ModTime().UTC(), info.Size() > polydag.MaxResultBytes}); s.isResult(e) {
			results = append(results, e)
		}
	}
	slices.SortFunc(results, func(a, b Entry) int { return cmp.Or(b.Modified.Compare(a.Modified), strings.Compare(a.Name, b.Name)) })
	return results, elsewhere
}

// resultHead matches the start of a result; the folder may contain other JSON files.
var resultHead = regexp.MustCompile(`^\s*\{\s*"schema"\s*:\s*"` + regexp.QuoteMeta(polydag.Schema) + `"`)

// isResult checks the first bytes of a file, once per change.
func (s *Server) isResult(e Entry) bool {
	s.known.Lock()
	defer s.known.Unlock()
	yes, seen := s.known.files[e]
	if !seen {
		if f, err := s.regular(e.Name); err == nil {
			yes = beginsAsResult(f)
			f.Close()
		}
		if s.known.files == nil || len(s.known.files) > 100_000 {
			s.known.files = map[Entry]bool{}
		}
		s.known.files[e] = yes
	}
	return yes
}

// beginsAsResult checks the start of f and seeks back.
func beginsAsResult(f *os.File) bool {
	head := make([]byte, 256)
	n, _ := io.ReadFull(f, head)
	_, err := f.Seek(0, io.SeekStart)
	return err == nil && resultHead.Match(head[:n])
}

// regular opens a regular file. Opening a pipe would wait for its writer.
func (s *Server) regular(name string) (*os.File, error) {
	if info, err := s.root.Stat(name); err != nil || !info.Mode().IsRegular() {
		return nil, cmp.Or(err, fs.ErrNotExist)
	}
	return s.root.Open(name)
}

// small reads a file of at most 64 kB.
func (s *Server) small(name string) ([]byte, error) {
	f, err := s.regular(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, 64<<10+1))
	if err == nil && len(text) > 64<<10 {
		err = fmt.Errorf("%s is too long", name)
	}
	return text, err
}

// plainName reports whether a name from a request can be a result in the folder: not a path and not hidden.
func plainName(name string) bool {
	return path.Base(name) == name && strings.HasSuffix(name, ".json") && !strings.HasPrefix(name, ".") && !strings.ContainsAny(name, "/\\\x00")
}

// open opens a result by the name in a request, and sends an error if there is none.
func (s *Server) open(w http.ResponseWriter, r *http.Request) (*os.File, bool) {
	name := r.PathValue("name")
	if !plainName(name) {
		refuse(w, http.StatusBadRequest, "%q is not a valid name of a result; open it from the list", name)
		return nil, false
	}
	f, err := s.regular(name)
	if err != nil {
		refuse(w, http.StatusNotFound, "no result %q in the folder", name)
		return nil, false
	}
	if !beginsAsResult(f) {
		f.Close()
		refuse(w, http.StatusBadRequest, "%q is not a result", name)
		return nil, false
	}
	return f, true
}

// showResult sends the page of a result. ?alone=true omits the link to the list, for a frame. ?embed=true also embeds the images,
// for a download.
func (s *Server) showResult(w http.ResponseWriter, r *http.Request) {
	res, ok := s.read(w, r)
	if !ok {
		return
	}
	var page strings.Builder
	show := Show{Alone: r.URL.Query().Get("alone") == "true", Embed: r.URL.Query().Get("embed") == "true"}
	if err := s.opt.Backend.Page(r.Context(), &page, show, Named{strings.TrimSuffix(r.PathValue("name"), ".json"), res}); err != nil {
		refuse(w, http.StatusInternalServerError, "%v", err)
		return
	}
	sendPage(w, &page)
}

// sendFile sends the file of a result.
func (s *Server) sendFile(w http.ResponseWriter, r *http.Request) {
	f, ok := s.open(w, r)
	if !ok {
		return
	}
	defer f.Close()
	w.Header().Set("Content-Type", "application/json")
	io.Copy(w, f)
}

// store writes a result to a temporary file and renames it to the first free name: stem.json, stem-2.json, …
func (s *Server) store(stem string, res *polydag.Result) (string, error) {
	text, err := json.MarshalIndent(res, "", "  ")
	if err != nil {
		return "", err
	}
	name := stem + ".json"
	for i := 2; ; i++ {
		if _, err := s.root.Lstat(name); err != nil {
			break
		}
		name = fmt.Sprintf("%s-%d.json", stem, i)
	}
	part := "." + name + ".part"
	f, err := s.begin(part)
	if err != nil {
		return "", err
	}
	_, err = f.Write(append(text, '\n'))
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	s.part.Lock()
	defer s.part.Unlock()
	s.part.name = ""
	if err == nil {
		err = s.root.Rename(part, name)
	}
	if err != nil {
		s.root.Remove(part)
		return "", fmt.Errorf("cannot write %s: %w; check the folder and its permissions", name, err)
	}
	return name, nil
}

// begin creates the temporary file of a result.
func (s *Server) begin(part string) (*os.File, error) {
	s.part.Lock()
	defer s.part.Unlock()
	if s.part.over {
		return nil, errors.New("the server has ended")
	}
	f, err := s.root.OpenFile(part, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o644)
	if err == nil {
		s.part.name = part
	}
	return f, err
}
