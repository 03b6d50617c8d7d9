// Package classify makes a table from a folder of images with a model in the ONNX format: one row per image, one column
// per label.
//
//	model, err := classify.Open("model.onnx", labels, settings)
//	folder, err := pictures.Open("photos")
//	table, err := model.Run(ctx, folder, saved, settings)
//
// The rows are sorted by the name of the image. The same images give the same table on any number of threads, and also
// if a run was interrupted and resumed.
package classify
