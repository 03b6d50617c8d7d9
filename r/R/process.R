# Runs the program: the data go to its standard input, and errors come from its standard error, one JSON object per line.

# polydag_binary returns the path of the program: the one in POLYDAG_BINARY, the one that install_polydag installed, or the one on the PATH.
polydag_binary <- function() {
  named <- Sys.getenv("POLYDAG_BINARY")
  if (nzchar(named)) {
    if (!file.exists(named)) fail(sprintf("POLYDAG_BINARY names %s, which is not a file; set it to the program, or unset it", named), "no-binary")
    return(normalizePath(named))
  }
  if (file.exists(installed_binary())) return(installed_binary())
  found <- Sys.which("polydag")
  if (!nzchar(found)) fail("the program polydag is not installed; run install_polydag(), or name the program in the variable POLYDAG_BINARY", "no-binary")
  unname(found)
}

# installed_binary is where install_polydag puts the program.
installed_binary <- function() file.path(R_user_dir("polydag", "data"), if (.Platform$OS.type == "windows") "polydag.exe" else "polydag")

install_polydag <- function(source = NULL, binary = NULL) {
  if (is.null(source) == is.null(binary)) fail("give either source, the folder of a clone of polydag, or binary, the path of the program", "usage")
  to <- installed_binary()
  dir.create(dirname(to), recursive = TRUE, showWarnings = FALSE)
  beside <- paste0(to, ".", Sys.getpid(), ".tmp") # the program is whole at every moment
  on.exit(unlink(beside))
  if (is.null(binary)) {
    go <- Sys.which("go")
    if (!nzchar(go)) fail("Go is not on the PATH, which builds the program; install it from https://go.dev, or give binary", "no-go")
    if (!file.exists(file.path(source, "cmd", "polydag"))) fail(sprintf("%s is not a clone of polydag: it has no folder cmd/polydag", source), "usage")
    old <- setwd(source)
    on.exit(setwd(old), add = TRUE)
    built <- system2(go, c("build", "-trimpath", "-o", shQuote(beside), "./cmd/polydag"), env = "CGO_ENABLED=0")
    if (built != 0) fail("Go could not build the program; its messages are above", "no-go", exit = 1)
  } else if (!file.exists(binary) || !file.copy(binary, beside, overwrite = TRUE)) {
    fail(sprintf("cannot read %s", binary), "read", exit = 1)
  }
  Sys.chmod(beside, "0755")
  if (!file.rename(beside, to)) fail(sprintf("cannot write %s", to), "write", exit = 1)
  message("the program is at ", to)
  invisible(to)
}

# fail stops with a condition that has the code, the place and the remedies of the program.
fail <- function(message, code = "failure", place = list(), remedies = list(), exit = NULL) {
  usage <- is.null(exit) || exit == 2
  stop(structure(
    class = c(if (usage) "polydag_usage_error", "polydag_error", "error", "condition"),
    list(message = message, call = NULL, code = code, place = place, remedies = remedies, exit = exit)
  ))
}

# call_program runs the program. feed is a function that writes the standard input to a connection, or NULL. The program is told the
# number of this process, and ends when it does. An interrupt reaches the program too, which then answers with its best result so far.
# With progress the program runs on while this process draws a bar, which needs a shell as Unix has it.
call_program <- function(args, feed = NULL, progress = FALSE) {
  if (!is.logical(progress) || length(progress) != 1) fail("progress is TRUE or FALSE", "usage")
  said <- tempfile("polydag-said-")
  answer <- tempfile("polydag-answer-")
  ended <- tempfile("polydag-ended-")
  on.exit(unlink(c(said, answer, ended)))
  old <- Sys.getenv(c("POLYDAG_LOG_FORMAT", "POLYDAG_PARENT"), unset = NA)
  Sys.setenv(POLYDAG_LOG_FORMAT = "json", POLYDAG_PARENT = Sys.getpid())
  on.exit(restore(old), add = TRUE)
  line <- paste(c(shQuote(polydag_binary()), vapply(enc2utf8(args), shQuote, ""), ">", shQuote(answer), "2>", shQuote(said)), collapse = " ")
  watched <- isTRUE(progress) && .Platform$OS.type == "unix"
  if (.Platform$OS.type == "windows") {
    line <- paste(Sys.getenv("COMSPEC"), "/c", paste0("\"", line, "\""))
  } else if (watched) {
    # What a shell starts with & has no standard input unless it is named, hence the detour by descriptor 3.
    line <- sprintf("exec 3<&0; { %s <&3 3<&-; code=$?; cat <&3 >/dev/null; echo $code > %s; } &", line, shQuote(ended))
  } else {
    # cat reads what a program that ended early left, since R fails if nobody reads what it writes. An interrupt is for the program.
    line <- sprintf("trap : INT; %s; code=$?; cat >/dev/null; exit $code", line)
  }
  status <- fault <- NULL
  interrupted <- FALSE
  tryCatch({
    suspendInterrupts({
      con <- pipe(line, "wb")
      fault <- tryCatch({
        if (!is.null(feed)) suppressWarnings(feed(con)) # writeBin warns if the program has ended
        NULL
      }, polydag_error = identity, error = function(e) NULL) # a broken pipe: the program says why
      status <- close(con)
    })
    Sys.sleep(0.001) # R looks for an interrupt that came meanwhile
  }, interrupt = function(e) interrupted <<- TRUE)
  if (watched) {
    end <- watch(ended, said)
    status <- end$code
    interrupted <- interrupted || end$interrupted
  }
  if (!is.null(fault)) stop(fault)
  code <- if (is.null(status)) 0L else if (status > 255) status %/% 256L else as.integer(status)
  events <- read_events(said)
  if (!code %in% c(0L, 3L, 4L)) { # 4: polydag test, the table refutes the graph
    if (interrupted) fail("interrupted; there is no result yet", "interrupted", exit = code)
    fault <- Filter(function(event) identical(event$level, "ERROR"), events$events)
    broken <- grep("^(panic|fatal error):", events$other, value = TRUE)
    if (length(fault) == 0 && length(broken) > 0) fail(sprintf("the program failed: %s; this is a bug, please report it with what you called", broken[1]), "bug", exit = max(code, 1L))
    if (length(fault) == 0) fail(sprintf("the program ended with code %d: %s", code, paste(events$other, collapse = "\n")), exit = max(code, 1L))
    last <- fault[[length(fault)]]
    fail(last$msg, last$code, last$place, last$remedies, code)
  }
  list(code = code, output = read_text(answer), events = events$events)
}

restore <- function(old) {
  Sys.unsetenv(names(old)[is.na(old)])
  if (any(!is.na(old))) do.call(Sys.setenv, as.list(old[!is.na(old)]))
}

read_text <- function(path) {
  text <- readChar(path, file.size(path), useBytes = TRUE)
  Encoding(text) <- "UTF-8"
  text
}

read_events <- function(path) {
  lines <- readLines(path, encoding = "UTF-8", warn = FALSE)
  parsed <- lapply(lines, function(line) tryCatch(fromJSON(line, simplifyVector = FALSE), error = function(e) NULL))
  is_event <- vapply(parsed, function(event) is.list(event) && !is.null(event$msg), NA)
  events <- lapply(parsed[is_event], function(event) {
    event$msg <- in_r(event$msg)
    event
  })
  list(events = events, other = lines[!is_event])
}

# said returns the sentences of one level.
said <- function(outcome, level) {
  of <- Filter(function(event) identical(event$level, level), outcome$events)
  vapply(of, function(event) event$msg, "")
}

# changes_result reports which notes say that the result is another one than was asked for: settings without effect, cells and columns that were
# not used because of a few cells.
changes_result <- function(notes) grepl("\\b(has|have) no effect\\b|^Infinite values|^Column .* is not a number\\. Correct", notes)

# warn_of gives what the program warns of as warnings of class polydag_warning, and the end of a run that stopped early as polydag_stopped.
warn_of <- function(outcome) {
  notes <- said(outcome, "INFO")
  sentences <- c(said(outcome, "WARN"), notes[changes_result(notes)])
  for (sentence in sentences) warn(sentence)
  stopped <- if (outcome$code == 3L) said(outcome, "ERROR")
  for (sentence in stopped) warn(sentence, "polydag_stopped")
  c(sentences, stopped)
}

warn <- function(message, class = NULL) {
  warning(structure(class = c(class, "polydag_warning", "warning", "condition"), list(message = message, call = NULL)))
}
