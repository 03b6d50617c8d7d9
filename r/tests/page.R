# The blocks of docs/guides/r.md run, in one environment. The page is not part of the package: its place is told by a variable.
page <- Sys.getenv("PAGE_OF_POLYDAG")
if (!nzchar(page)) {
  cat("skipped: PAGE_OF_POLYDAG does not name docs/guides/r.md\n")
} else {
  setwd(tempdir())
  lines <- readLines(page, encoding = "UTF-8")
  code <- character()
  open <- FALSE
  for (line in lines) {
    if (line == "```r") {
      open <- TRUE
    } else if (line == "```") {
      open <- FALSE
    } else if (open) {
      code <- c(code, line)
    }
  }
  stopifnot(length(code) > 10)
  eval(parse(text = code, encoding = "UTF-8"), globalenv())
  stopifnot(fault$code == "missing", fault$remedies[[1]]$setting == "missing", fault$remedies[[1]]$value == "auto", file.exists("r.html"))
}
