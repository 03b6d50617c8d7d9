package prepare

import (
	"slices"
	"strings"

	"github.com/polydag/polydag/dataset"
)

var (
	pictureWords = wordSet("image", "images", "img", "picture", "photo")
	pictureFiles = []string{".jpg\"", ".jpeg\"", ".png\"", ".webp\"", ".gif\""}
)

// Pictures reports whether an excluded column names pictures, by its own name or by names of files.
func Pictures(excluded []dataset.Excluded) bool {
	return slices.ContainsFunc(excluded, func(x dataset.Excluded) bool {
		return x.Reason != reasonConstant && (slices.ContainsFunc(nameWords(x.Name), func(w string) bool { return pictureWords[w] }) ||
			slices.ContainsFunc(pictureFiles, func(end string) bool { return strings.Contains(strings.ToLower(x.Detail), end) }))
	})
}
