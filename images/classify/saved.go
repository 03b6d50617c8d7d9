package classify

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"

	"github.com/polydag/polydag/images/pictures"
)

// Saved is the file with the rows of a run that is not complete: a line of JSON for the run and one per image. A nil
// *Saved keeps nothing.
type Saved struct {
	file    *os.File
	w       *bufio.Writer
	known   map[string]line
	pending int
}

// line is the result of one image. Size and time tell whether the image changed since.
type line struct {
	Image  string    `json:"image"`
	Size   int64     `json:"size"`
	Time   int64     `json:"time"`
	Row    []float32 `json:"row,omitempty"`
	Vector []float32 `json:"vector,omitempty"`
	Thumb  []byte    `json:"thumb,omitempty"`
	Error  string    `json:"error,omitempty"`
}

// Resume opens the file of an interrupted run of the same model with the same settings, or begins a new one.
func (m *Model) Resume(file string) (*Saved, error) {
	f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	s := &Saved{file: f, known: map[string]line{}}
	end, err := s.read(m.key)
	if err == nil {
		err = f.Truncate(end)
	}
	if err == nil {
		_, err = f.Seek(end, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	s.w = bufio.NewWriter(f)
	if end == 0 {
		err = json.NewEncoder(s.w).Encode(map[string]string{"run": m.key})
	}
	return s, err
}

// read reads the whole lines and returns where they end. The file of another run has none.
func (s *Saved) read(key string) (int64, error) {
	r := bufio.NewReaderSize(s.file, 1<<16)
	var end int64
	for first := true; ; first = false {
		text, err := r.ReadBytes('\n')
		if err == io.EOF { // the last line of a killed run is not whole
			return end, nil
		}
		if err != nil {
			return 0, err
		}
		if first {
			var head struct {
				Run string `json:"run"`
			}
			if json.Unmarshal(bytes.TrimSpace(text), &head) != nil || head.Run != key {
				return 0, nil
			}
		} else {
			var l line
			if json.Unmarshal(text, &l) != nil {
				return end, nil
			}
			s.known[l.Image] = l
		}
		end += int64(len(text))
	}
}

// find returns the saved result of an image.
func (s *Saved) find(folder *pictures.Folder, image string, labels int) (record, bool) {
	if s == nil {
		return record{}, false
	}
	l, ok := s.known[image]
	if !ok {
		return record{}, false
	}
	info, err := folder.Info(image)
	switch {
	case err != nil || info.Size() != l.Size || info.ModTime().UnixNano() != l.Time:
		return record{}, false
	case l.Error != "":
		return record{err: errors.New(l.Error)}, true
	case len(l.Row) != labels || len(l.Thumb) != 3*thumbSide*thumbSide:
		return record{}, false
	}
	return record{row: l.Row, vector: l.Vector, thumb: l.Thumb}, true
}

// add saves a result. Lines are written out every few images.
func (s *Saved) add(folder *pictures.Folder, image string, r record) error {
	if s == nil {
		return nil
	}
	info, err := folder.Info(image)
	if err != nil { // the image is gone, so there is nothing to resume
		return nil
	}
	l := line{Image: image, Size: info.Size(), Time: info.ModTime().UnixNano(), Row: r.row, Vector: r.vector, Thumb: r.thumb}
	if r.err != nil {
		l.Error = r.err.Error()
	}
	if err := json.NewEncoder(s.w).Encode(l); err != nil {
		return err
	}
	if s.pending++; s.pending%64 == 0 {
		return s.w.Flush()
	}
	return nil
}

// Close writes what is left and closes the file.
func (s *Saved) Close() error { return errors.Join(s.w.Flush(), s.file.Close()) }
