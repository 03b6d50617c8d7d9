//go:build !linux

package command

func writePeak() {}
