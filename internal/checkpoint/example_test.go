package checkpoint_test

import (
	"fmt"
	"os"

	"github.com/polydag/polydag/internal/checkpoint"
)

func ExampleDir() {
	path, _ := os.MkdirTemp("", "run")
	defer os.RemoveAll(path)

	dir, err := checkpoint.Open(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	state, err := dir.Load()
	fmt.Println(state == nil, err)
	for step := range 3 {
		if err := dir.Save(fmt.Appendf(nil, "step %d", step)); err != nil {
			fmt.Println(err)
		}
	}
	dir.Close() // or the process is killed

	dir, _ = checkpoint.Open(path)
	defer dir.Close()
	state, _ = dir.Load()
	fmt.Printf("%s\n", state)
	// Output:
	// true <nil>
	// step 2
}
