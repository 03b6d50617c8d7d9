# Draws a progress bar on a terminal, after the first second of a run.

# watch looks for the end of a run, which is a file with its exit code, and draws how far it is meanwhile. said is the file of its
# events. It returns the exit code, and whether an interrupt came. A second interrupt ends the wait, and so does a file that stays empty for
# patience seconds: the disk is full.
watch <- function(ended, said, bar = progress_bar(), patience = 2) {
  on.exit(bar$end())
  interrupts <- 0
  empty <- NULL # since when
  over <- FALSE
  while (!over && interrupts < 2) {
    over <- tryCatch({
      repeat {
        if (file.exists(ended)) {
          if (file.size(ended) > 0) break
          if (is.null(empty)) empty <- Sys.time()
          if (difftime(Sys.time(), empty, units = "secs") > patience) break
        }
        Sys.sleep(0.1)
        bar$draw(latest_progress(said))
      }
      TRUE
    }, interrupt = function(e) {
      interrupts <<- interrupts + 1 # it reached the program too, which answers with its best so far
      FALSE
    })
  }
  code <- if (over) suppressWarnings(as.integer(readLines(ended)[1])) else NA
  list(code = if (is.na(code)) 1L else code, interrupted = interrupts > 0)
}

# latest_progress is the latest event that has a number of steps and their total, or NULL.
latest_progress <- function(said) {
  lines <- if (file.exists(said)) readLines(said, encoding = "UTF-8", warn = FALSE) else character()
  for (line in rev(lines)) {
    event <- tryCatch(fromJSON(line, simplifyVector = FALSE), error = function(e) NULL) # the last line may be half written
    if (identical(event$msg, "progress")) return(if (isTRUE(event$steps > 0)) event)
  }
  NULL
}

# progress_bar draws events: the name of a stage, and below it a bar that fills.
progress_bar <- function(file = stderr(), after = 1) {
  begin <- Sys.time()
  stage <- NULL
  bar <- NULL
  end <- function() {
    if (!is.null(bar)) close(bar)
    bar <<- NULL
  }
  draw <- function(event) {
    if (is.null(event) || difftime(Sys.time(), begin, units = "secs") < after) return(invisible())
    if (!identical(stage, event$stage)) {
      end()
      stage <<- event$stage
      cat(stage, "\n", sep = "", file = file)
      bar <<- txtProgressBar(style = 3, file = file)
    }
    setTxtProgressBar(bar, min(1, event$step / event$steps))
  }
  list(draw = draw, end = end)
}
