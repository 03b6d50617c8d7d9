# How far a run is, as a bar on a terminal. Nothing is drawn in the first second.

# watch looks for the end of a run, which is a file with its exit code, and draws how far it is meanwhile. said is the file of its
# events. It returns the exit code, and whether an interrupt came.
watch <- function(ended, said, bar = progress_bar()) {
  on.exit(bar$end())
  interrupted <- over <- FALSE
  while (!over) {
    over <- tryCatch({
      while (!file.exists(ended) || file.size(ended) == 0) {
        Sys.sleep(0.1)
        bar$draw(latest_progress(said))
      }
      TRUE
    }, interrupt = function(e) {
      interrupted <<- TRUE # it reached the program too, which answers with its best so far
      FALSE
    })
  }
  list(code = as.integer(readLines(ended)), interrupted = interrupted)
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
