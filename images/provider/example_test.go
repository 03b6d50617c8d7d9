package provider_test

import (
	"fmt"
	"strings"

	"github.com/polydag/polydag/images/provider"
)

// ExampleCelebAHQ shows the error for a file that is not the published one.
func ExampleCelebAHQ() {
	list := "2\nMale Young\n0.jpg  -1  1\n1.jpg   1 -1\n"
	opt := provider.DefaultSettings()
	opt.File = "list.txt"
	_, _, err := provider.CelebAHQ(strings.NewReader(list), opt)
	fmt.Println(err)

	opt.Force = true
	table, _, err := provider.CelebAHQ(strings.NewReader(list), opt)
	fmt.Println(table.Names, table.Rows.Data, err)
	// Output:
	// list.txt does not match CelebAMask-HQ's attribute list (CelebAMask-HQ-attribute-anno.txt): line 2 should name CelebA's 40 attributes in their order, 5_o_Clock_Shadow to Young; it has 2 names, Male to Young; 30,000 rows expected, 2 found
	// [Male Young] [-1 1 1 -1] <nil>
}

func ExampleSachsEdges() {
	for _, n := range provider.SachsNetworks() {
		edges, _ := provider.SachsEdges(n.Name)
		fmt.Println(n.Name, len(edges), edges[0].From, "→", edges[0].To)
	}
	// Output:
	// 17 17 Erk → Akt
	// 20-cmu 20 Erk → Akt
	// 20-eliater 20 Erk → Akt
}
