package names

// Index returns the place of each name in the list. A name that is there several times has its first place: the list has no name
// twice where the map is as long, and at i stands a name again where Index(list)[list[i]] is not i.
func Index(list []string) map[string]int {
	index := make(map[string]int, len(list))
	for i, name := range list {
		if _, again := index[name]; !again {
			index[name] = i
		}
	}
	return index
}
