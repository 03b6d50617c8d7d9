// Package annotation reads the common file formats of image annotations and makes a table with one row per image and one column per
// category or attribute.
//
//	table, err := annotation.Read(ctx, "coco", []string{"instances_val2017.json"}, annotation.DefaultSettings())
//
// Files are streamed. Memory grows with the number of annotations, 12 bytes each, not with the size of the files.
package annotation
