package pictures

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"image"
	"io"
)

// orientation returns the EXIF orientation of a JPEG image, 1–8. It is 1, the usual one, if the image states none.
func orientation(r io.Reader) int {
	b := bufio.NewReader(r)
	var head [4]byte
	if _, err := io.ReadFull(b, head[:2]); err != nil || head[0] != 0xff || head[1] != 0xd8 {
		return 1
	}
	for range 100 { // segments before the pixels
		if _, err := io.ReadFull(b, head[:]); err != nil || head[0] != 0xff || head[1] == 0xda {
			return 1
		}
		size := int(binary.BigEndian.Uint16(head[2:])) - 2
		if size < 0 {
			return 1
		}
		body := make([]byte, size)
		if _, err := io.ReadFull(b, body); err != nil {
			return 1
		}
		if exif, ok := bytes.CutPrefix(body, []byte("Exif\x00\x00")); head[1] == 0xe1 && ok {
			return exifOrientation(exif)
		}
	}
	return 1
}

// exifOrientation reads tag 0x0112 of the first directory of a TIFF block.
func exifOrientation(b []byte) int {
	const tag, short = 0x0112, 3
	if len(b) < 8 {
		return 1
	}
	var order binary.ByteOrder = binary.LittleEndian
	if string(b[:2]) == "MM" {
		order = binary.BigEndian
	}
	at := order.Uint32(b[4:])
	if uint64(at)+2 > uint64(len(b)) {
		return 1
	}
	entries := b[at+2:]
	for range order.Uint16(b[at:]) {
		if len(entries) < 12 {
			return 1
		}
		if order.Uint16(entries) == tag && order.Uint16(entries[2:]) == short {
			if o := int(order.Uint16(entries[8:])); o >= 1 && o <= 8 {
				return o
			}
			return 1
		}
		entries = entries[12:]
	}
	return 1
}

// upright returns the image as it is meant to be seen.
func upright(m *image.RGBA, orientation int) *image.RGBA {
	if orientation <= 1 {
		return m
	}
	w, h := m.Rect.Dx(), m.Rect.Dy()
	turned := orientation >= 5 // rows become columns
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	if turned {
		out = image.NewRGBA(image.Rect(0, 0, h, w))
	}
	for y := range h {
		for x := range w {
			var tx, ty int
			switch orientation {
			case 2:
				tx, ty = w-1-x, y
			case 3:
				tx, ty = w-1-x, h-1-y
			case 4:
				tx, ty = x, h-1-y
			case 5:
				tx, ty = y, x
			case 6:
				tx, ty = h-1-y, x
			case 7:
				tx, ty = h-1-y, w-1-x
			case 8:
				tx, ty = y, w-1-x
			}
			out.SetRGBA(tx, ty, m.RGBAAt(x, y))
		}
	}
	return out
}
