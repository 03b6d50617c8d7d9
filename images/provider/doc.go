// Package provider reads the files of published datasets in their original formats, checks their content, and
// returns a table.
//
//	f, err := os.Open("list_attr_celeba.txt") // or its .gz
//	opt := provider.DefaultSettings()
//	opt.Attributes = provider.PaperAttributes()
//	table, notes, err := provider.CelebA(f, opt)
//
// Nothing is downloaded, and this package contains no rows of any dataset. All lists the sources, files and
// terms. The notes state what was dropped and why; callers should show them.
//
// A damaged file is an error. A readable file that differs from the published one (fewer rows, other shares) is
// a *MismatchError, which Settings.Force turns into notes.
package provider
