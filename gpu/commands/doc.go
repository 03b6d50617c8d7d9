// Package commands has the wing of the program for a GPU: the list of devices, and the flag --device.
package commands
