package must

import (
	"os"
	"testing"
)

// requireEnv names the variable under which a test fails, rather than being skipped, if a program that it needs is not installed. It does
// not begin with POLYDAG_, because the program takes such variables for its flags.
const requireEnv = "REQUIRE_PROGRAMS"

// Required reports whether tests may not be skipped for programs that are not installed. A gate that installs them sets REQUIRE_PROGRAMS.
func Required() bool { return os.Getenv(requireEnv) != "" }

// Missing skips a test whose program is not installed, or fails it if the program is required. The format says what is missing and how it is
// installed.
func Missing(t testing.TB, format string, args ...any) {
	t.Helper()
	if Required() {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}
