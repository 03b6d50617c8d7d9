#!/usr/bin/env bash
# Tests the page in a real browser. Uses the system's Chromium; installs one where it can (apt as root, else Playwright's own).
# Where there is no Node or no browser to be had it says so and passes, unless REQUIRE_PROGRAMS is set.
set -euo pipefail
cd "$(dirname "$0")/.."

skip() {
	echo "the page is not tested in a browser: $*"
	[ -z "${REQUIRE_PROGRAMS:-}" ] || exit 1
	exit 0
}

command -v npm >/dev/null || skip "npm is not installed"
[ -d node_modules ] || npm install --no-save --no-audit --no-fund || skip "npm install failed"

found() {
	for c in "${CHROMIUM:-}" /usr/bin/chromium-headless-shell /usr/bin/chromium /usr/bin/chromium-browser /usr/bin/google-chrome; do
		[ -n "$c" ] && [ -x "$c" ] && return 0
	done
	node -e "require('fs').accessSync(require('@playwright/test').chromium.executablePath())" 2>/dev/null
}

if ! found; then
	if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
		apt-get install -y -qq chromium-headless-shell >/dev/null 2>&1 || { apt-get update -qq && apt-get install -y -qq chromium-headless-shell >/dev/null; } || true
	fi
fi
found || npx playwright install chromium-headless-shell || true
found || skip "no Chromium found, and none could be installed"

exec npx playwright test "$@"
