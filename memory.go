package polydag

// Memory returns about how many bytes a run needs at most.
func (c Config) Memory(columns int) int64 { return 8 * 20 * int64(columns) * int64(columns) }
