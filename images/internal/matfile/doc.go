// Package matfile reads MATLAB files of level 5, as MATLAB's save -v6 and -v7 write them:
//
//	arrays, err := matfile.Read(r)
//
// It reads arrays of numbers, text and cells. Arrays of other classes, such as structs, are listed without their content. The
// input may be hostile: memory grows with the bytes that are there and not with the sizes that they claim, and is limited.
//
// Reference: MathWorks, "MAT-File Format", chapter 1, "Level 5 MAT-file format".
package matfile
