# The R code of docs/guides/r.md and of the vignette runs. The files are not part of the tests: variables tell where they are.
run <- function(variable, block) {
  path <- Sys.getenv(variable)
  if (!nzchar(path)) {
    cat("skipped:", variable, "is not set\n")
    return(FALSE)
  }
  code <- character()
  open <- FALSE
  for (line in readLines(path, encoding = "UTF-8")) {
    if (grepl(block, line, perl = TRUE)) {
      open <- TRUE
    } else if (line == "```") {
      open <- FALSE
    } else if (open) {
      code <- c(code, line)
    }
  }
  stopifnot(length(code) > 10)
  for (expression in parse(text = code, encoding = "UTF-8")) print(eval(expression, globalenv()))
  TRUE
}
grDevices::pdf(tempfile(fileext = ".pdf"))
page <- Sys.getenv("PAGE_OF_POLYDAG")
setwd(tempdir())
if (run("PAGE_OF_POLYDAG", "^```r$")) {
  stopifnot(fault$code == "missing", fault$remedies[[1]]$setting == "missing", fault$remedies[[1]]$value == "auto", file.exists("r.html"))
}
library(polydag)
run("VIGNETTE_OF_POLYDAG", if (requireNamespace("bnlearn", quietly = TRUE)) "^```\\{r (?!setup)" else "^```\\{r (learn|plot|select|effect|drivers|evaluate|stopped)")
