#!/bin/sh
# Runs R CMD check on the package, with the program that is named, and fails on an error, a warning or a note. The vignette is built where knitr,
# rmarkdown and pandoc are installed; its code runs in tests/page.R in any case.
set -eu
if ! command -v Rscript >/dev/null 2>&1 || ! Rscript -e 'quit(status = !requireNamespace("jsonlite", quietly = TRUE))' >/dev/null 2>&1; then
	echo "skipped: there is no R with jsonlite (Debian: r-base-core r-cran-jsonlite r-cran-igraph)"
	[ -z "${REQUIRE_PROGRAMS:-}" ] || exit 1
	exit 0
fi
POLYDAG_BINARY=$1
PAGE_OF_POLYDAG=$(cd "$(dirname "$0")/.." && pwd)/docs/guides/r.md
HANDOVER_OF_POLYDAG=$(cd "$(dirname "$0")/.." && pwd)/python/tests/handover.json
VIGNETTE_OF_POLYDAG=$(cd "$(dirname "$0")" && pwd)/vignettes/polydag.Rmd
export POLYDAG_BINARY PAGE_OF_POLYDAG HANDOVER_OF_POLYDAG VIGNETTE_OF_POLYDAG
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -R "$(cd "$(dirname "$0")" && pwd)" "$work/polydag"
cd "$work"
if ! command -v pandoc >/dev/null 2>&1 || ! Rscript -e 'quit(status = !all(vapply(c("knitr", "rmarkdown"), requireNamespace, NA, quietly = TRUE)))' >/dev/null 2>&1; then
	rm -r polydag/vignettes
	sed -i.old -e '/^VignetteBuilder/d' -e 's/, knitr, rmarkdown//' polydag/DESCRIPTION && rm polydag/DESCRIPTION.old
fi
R CMD build polydag >build.log || { cat build.log; exit 1; }
_R_CHECK_FORCE_SUGGESTS_=false _R_CHECK_PACKAGE_DEPENDS_IGNORE_MISSING_ENHANCES_=true _R_CHECK_SYSTEM_CLOCK_=false LC_ALL=C.UTF-8 R CMD check --no-manual polydag_*.tar.gz || { cat polydag.Rcheck/00install.out polydag.Rcheck/tests/*.fail 2>/dev/null; exit 1; }
if ! grep -q '^Status: OK$' polydag.Rcheck/00check.log; then
	echo "R CMD check has something to say:"
	grep -A8 -E 'WARNING|NOTE' polydag.Rcheck/00check.log
	exit 1
fi
