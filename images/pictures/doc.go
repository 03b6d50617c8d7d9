// Package pictures chooses the images that show a variable, an edge or an effect of a learned graph, and makes thumbnails
// of them.
//
//	rows, err := pictures.Read(ctx, source, pictures.Columns{Image: "image", Names: result.Names})
//	folder, err := pictures.Open("photos")
//	set, log, err := pictures.Make(ctx, rows, folder, edges, effects, pictures.DefaultSettings())
//
// A column of the table has the name of each row's image. Only images that are shown are decoded. Names and images
// come from strangers: a name cannot leave the folder, and the size in the header of an image is checked before its
// pixels are decoded. The same input gives the same set on any number of threads.
package pictures
