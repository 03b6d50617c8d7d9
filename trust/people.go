package trust

import (
	"slices"
	"strings"
)

// PeopleCaution is the warning of every result about attributes of people. Pictures, captions and the methods paragraph repeat it. Reference:
// section "Ethical and bias considerations for visual attributes" of the paper polyDAG.
const PeopleCaution = "attributes of people can reflect annotation practice, the selection of the images and stereotypes instead of causes; " +
	"do not use edges for claims about gender, identity or appearance, for decisions about persons, or to infer who somebody is"

// faceColumns are columns of CelebA and CelebA-HQ. A table with knownFaces of them has attributes of people.
var faceColumns = strings.Fields("Male Young Bald Mustache No_Beard Heavy_Makeup Wearing_Lipstick Gray_Hair Smiling Attractive Eyeglasses Goatee Chubby Double_Chin Pale_Skin Big_Nose")

const knownFaces = 4

// OfPeople reports whether the names are known as those of attributes of people.
func OfPeople(names []string) bool {
	known := 0
	for _, name := range names {
		if slices.Contains(faceColumns, name) {
			known++
		}
	}
	return known >= knownFaces
}

// PeopleSentence returns PeopleCaution as a sentence if it is among the warnings of a result, and otherwise "".
func PeopleSentence(warnings []string) string {
	if !slices.Contains(warnings, PeopleCaution) {
		return ""
	}
	return strings.ToUpper(PeopleCaution[:1]) + PeopleCaution[1:] + "."
}
