// Package provider reads the files of published datasets as their providers hand them out, checks that each is
// the file that it should be, and returns a table.
//
//	f, err := os.Open("list_attr_celeba.txt") // or its .gz
//	opt := provider.DefaultSettings()
//	opt.Attributes = provider.PaperAttributes()
//	table, notes, err := provider.CelebA(f, opt)
//
// Nothing is downloaded, and no row of any dataset is part of this package: All says where each
// comes from, what file to ask for and under what terms. The notes say what was
// dropped and why; a caller shows them.
//
// A file whose text is damaged is an error. A file that can be read but is not the published one (fewer rows, other shares) is
// a *MismatchError, which Settings.Force turns into notes.
package provider
