package commands

import "testing"

// TestNamesOfImages checks that the column with the names of the images has a name of its own.
func TestNamesOfImages(t *testing.T) {
	for name, categories := range map[string][]string{"image": {"cat", "images"}, "image_file": {"image", "cat"}, "image_file_file": {"cat", "image", "image_file"}} {
		if got := withImages(categories, nil, nil).Names[0]; got != name {
			t.Errorf("the names of images stand in column %s beside %v, want %s", got, categories, name)
		}
	}
}
