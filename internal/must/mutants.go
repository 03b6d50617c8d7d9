package must

import (
	"bytes"
	"flag"
	"math/rand/v2"
	"testing"
)

// Mutants returns the seeds of a fuzz target and n texts that are seeds with a few changes: always the same ones, so that each go test tries what
// fuzzing tries first, without instrumented packages. While go test -fuzz runs, it returns only the seeds.
func Mutants(n int, seeds ...[]byte) [][]byte {
	if f := flag.Lookup("test.fuzz"); f != nil && f.Value.String() != "" {
		return seeds
	}
	rng := rand.New(rand.NewPCG(uint64(n), uint64(len(seeds))))
	all := seeds[:len(seeds):len(seeds)]
	for range n {
		text := bytes.Clone(seeds[rng.IntN(len(seeds))])
		for range 1 + rng.IntN(3) {
			text = mutate(rng, text, seeds[rng.IntN(len(seeds))])
		}
		all = append(all, text)
	}
	return all
}

// AddMutants adds Mutants to a target of one argument.
func AddMutants(f *testing.F, n int, seeds ...[]byte) {
	for _, text := range Mutants(n, seeds...) {
		f.Add(text)
	}
}

// hostile are texts in place of a number or a value.
var hostile = []string{"-1", "0", "1", "2", "255", "65536", "4294967296", "1000000000000", "9223372036854775807", "-9223372036854775808", "1e308", "1e999", "0.5", "NaN", "null", "[]", "{}", `""`, "true", "\x00", "\xff", "\n", ",", `"`}

// mutate changes a text in one place.
func mutate(rng *rand.Rand, text, other []byte) []byte {
	if len(text) == 0 {
		return bytes.Clone(other)
	}
	from := rng.IntN(len(text))
	to := min(len(text), from+1+rng.IntN(16))
	part := func(b []byte) []byte { // up to 64 bytes of b
		if len(b) == 0 {
			return nil
		}
		k := rng.IntN(len(b))
		return b[k:min(len(b), k+1+rng.IntN(64))]
	}
	var into []byte
	switch rng.IntN(8) {
	case 0: // a bit
		to, into = from+1, []byte{text[from] ^ 1<<rng.IntN(8)}
	case 1: // a byte
		to, into = from+1, []byte{byte(rng.IntN(256))}
	case 2: // cut out
	case 3: // cut off
		to = len(text)
	case 4: // said again
		from, into = to, part(text)
	case 5: // from another seed
		into = part(other)
	default: // the next number or word has another value
		for from < len(text)-1 && !wordByte(text[from]) {
			from++
		}
		for to = from + 1; to < len(text) && wordByte(text[to]); to++ {
		}
		into = []byte(hostile[rng.IntN(len(hostile))])
	}
	return bytes.Join([][]byte{text[:from], into, text[to:]}, nil)
}

func wordByte(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '-' || c == '.' || c == '+'
}
