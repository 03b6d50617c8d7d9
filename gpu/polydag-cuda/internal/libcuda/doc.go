// Package libcuda calls the driver that is installed on the machine, without cgo. A program that imports it is linked
// dynamically on Linux; polydag-cuda alone does.
package libcuda
