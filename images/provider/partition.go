package provider

import (
	"fmt"
	"io"
)

// splits are the parts of CelebA; the index is the number in its partition file.
var splits = []string{"train", "valid", "test"}

// partSizes are the published sizes of the parts.
var partSizes = []int{162_770, 19_867, 19_962}

// readPartition reads CelebA's list_eval_partition.txt: an image and 0, 1 or 2 per line. It skips a header line
// that starts with image_id.
func readPartition(r io.Reader, f *findings) (map[string]int8, error) {
	const file, want = "the partition file", "CelebA's list_eval_partition.txt"
	text, err := unpack(r, file, want)
	if err != nil {
		return nil, err
	}
	in := newLines(text)
	part := make(map[string]int8)
	sizes := make([]int, len(splits))
	for line := in.next(); line != nil; line = in.next() {
		image, rest := cutField(line)
		if in.n == 1 && string(image) == "image_id" {
			continue
		}
		digit, rest := cutField(rest)
		if len(digit) != 1 || digit[0] < '0' || digit[0] > '2' || len(rest) > 0 {
			return nil, fmt.Errorf("%s: line %d is %q, not an image and 0, 1 or 2; expected %s", file, in.n, shown(line), want)
		}
		if _, ok := part[string(image)]; ok {
			return nil, fmt.Errorf("%s: line %d: image %s is there twice; expected %s", file, in.n, shown(image), want)
		}
		part[string(image)] = int8(digit[0] - '0')
		sizes[digit[0]-'0']++
	}
	if err := in.err(file); err == io.ErrUnexpectedEOF {
		return nil, fmt.Errorf("%s is cut off after line %d; download it again", file, in.n)
	} else if err != nil {
		return nil, err
	}
	for k, want := range partSizes {
		if sizes[k] != want {
			f.faultf("the partition file has %s rows for %s, expected %s", count(sizes[k]), splits[k], count(want))
		}
	}
	return part, nil
}
