package names

// Index returns the index of each name in the list, the first one for duplicates. So the list has no duplicates
// if the map has the same length, and list[i] is a duplicate if Index(list)[list[i]] is not i.
func Index(list []string) map[string]int {
	index := make(map[string]int, len(list))
	for i, name := range list {
		if _, again := index[name]; !again {
			index[name] = i
		}
	}
	return index
}
