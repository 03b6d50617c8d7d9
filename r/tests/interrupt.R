# An interrupt returns the best result so far, and a killed R leaves no process. Another R is started for that, in a session of its
# own, so that the signal reaches it and the program as Ctrl-C in a terminal does.
if (.Platform$OS.type != "unix" || !nzchar(Sys.which("setsid")) || !dir.exists("/proc/self")) {
  cat("skipped: setsid and /proc are needed\n")
} else {
  patience <- 300 # seconds, on a loaded machine

  until <- function(met) {
    begin <- Sys.time()
    while (!met()) {
      if (difftime(Sys.time(), begin, units = "secs") > patience) stop("it does not happen")
      Sys.sleep(0.1)
    }
  }

  # begin starts a long run and returns its process and its folder once it reports progress.
  begin <- function(progress) {
    folder <- tempfile("long-")
    dir.create(folder)
    script <- file.path(folder, "long.R")
    writeLines(c(
      paste("PROGRESS <-", progress), "library(polydag)", "d <- simulate_table(nodes = 20, rows = 300, seed = 1)$data", "cat(Sys.getpid(), file = 'pid')",
      "r <- suppressWarnings(learn(d, bootstrap = 100000, progress = PROGRESS))", "cat(r$stopped, nrow(r$edges) > 0, r$warnings, file = 'answer')"
    ), script)
    old <- setwd(folder)
    on.exit(setwd(old))
    system(paste(paste0("R_TESTS= TMPDIR=", shQuote(folder)), "setsid", shQuote(file.path(R.home("bin"), "Rscript")), "long.R >/dev/null 2>&1"), wait = FALSE)
    until(function() {
      said <- list.files(folder, "^polydag-said-", recursive = TRUE, full.names = TRUE)
      any(vapply(said, function(path) any(grepl("\"msg\":\"progress\"", readLines(path, warn = FALSE))), NA))
    })
    list(folder = folder, pid = as.integer(readLines(file.path(folder, "pid"), warn = FALSE)))
  }

  # end kills what is left of a run, so that a failure leaves no process either.
  end <- function(run) system(sprintf("kill -s KILL -- -%d 2>/dev/null", run$pid))

  for (progress in c(FALSE, TRUE)) {
    run <- begin(progress)
    tryCatch({
      system(sprintf("kill -s INT -- -%d", run$pid))
      until(function() file.exists(file.path(run$folder, "answer")) && file.size(file.path(run$folder, "answer")) > 0)
    }, finally = end(run))
    answer <- readLines(file.path(run$folder, "answer"), warn = FALSE)
    stopifnot(grepl("^TRUE TRUE interrupted; this is the best result so far", answer))
  }

  # working counts the processes that work for one.
  working <- function(pid) {
    text <- vapply(Sys.glob("/proc/[0-9]*/environ"), function(path) {
      # A warning that is caught would leave the connection of a process that has just ended, and there are 128 at most.
      bytes <- tryCatch(suppressWarnings(readBin(path, "raw", 65536)), error = function(e) raw())
      rawToChar(bytes[bytes != 0])
    }, "")
    sum(grepl(sprintf("POLYDAG_PARENT=%d", pid), text, fixed = TRUE, useBytes = TRUE))
  }
  for (progress in c(FALSE, TRUE)) {
    run <- begin(progress)
    tryCatch({
      stopifnot(working(run$pid) >= 1)
      system(sprintf("kill -s KILL %d", run$pid))
      until(function() working(run$pid) == 0)
    }, finally = end(run))
  }
}
