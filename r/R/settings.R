# Translates named arguments into flags and settings of the program, using the output of polydag describe.

known <- new.env()

description <- function() {
  path <- polydag_binary()
  key <- paste(path, file.mtime(path))
  if (is.null(known[[key]])) known[[key]] <- fromJSON(call_program("describe")$output, simplifyVector = FALSE)
  known[[key]]
}

# polydag_settings returns the settings of a command as a data frame. The column set is TRUE for those that the command line takes as
# --set name=value.
polydag_settings <- function(command = "learn") {
  flags <- flags_of(command)
  if (is.null(flags)) fail(sprintf("there is no command %s; polydag --help lists the commands", command), "usage")
  text <- function(x) if (is.null(x)) NA_character_ else as.character(x)
  data.frame(
    name = vapply(flags, `[[`, "", "name"), type = vapply(flags, `[[`, "", "type"),
    default = vapply(flags, function(flag) text(flag$default), ""), set = vapply(flags, function(flag) isTRUE(flag$set), NA), help = vapply(flags, `[[`, "", "help")
  )
}

# polydag_methods returns the methods as a data frame.
polydag_methods <- function() {
  of <- description()$methods
  column <- function(key) vapply(of, `[[`, "", key)
  data.frame(name = column("name"), title = column("title"), needs = column("needs"), gives = column("gives"))
}

flags_of <- function(command) {
  for (one in description()$commands) {
    if (one$name == command) return(c(one$flags, lapply(one$settings, c, list(set = TRUE)), description()$flags))
  }
  NULL
}

# as_json returns the argument that makes a command print JSON on standard output.
as_json <- function(command) {
  names <- vapply(flags_of(command), `[[`, "", "name")
  if (!"json" %in% names && "output" %in% names) "--output=-" else "--json"
}

# ours lists the settings that this package controls.
ours <- c("output", "json", "log-format", "quiet", "verbose", "config", "print-config", "progress-file", "set")

# merged returns named values with those of the list settings among them.
merged <- function(given) {
  more <- given[["settings"]]
  if (is.null(more)) return(given)
  if (!is.list(more) || is.null(names(more))) fail("settings is a list with names, as in settings = list(restarts = 5)", "usage")
  given[["settings"]] <- NULL
  twice <- intersect(gsub("[._]", "-", names(more)), gsub("[._]", "-", names(given)))
  if (length(twice) > 0) fail(sprintf("%s is also an argument; give one of them", twice[1]), "usage")
  c(given, more)
}

# flags translates named values into arguments of a command. The program rejects unknown names. folder is a temporary folder for
# settings that the program reads from files.
flags <- function(command, given, folder) {
  if (length(given) == 0) return(character())
  if (is.null(names(given)) || any(!nzchar(names(given)))) fail("settings have names, as in bootstrap = 100", "usage")
  given <- merged(given)
  types <- list()
  set <- character()
  for (flag in flags_of(command)) {
    types[[flag$name]] <- flag$type
    if (isTRUE(flag$set)) set <- c(set, flag$name)
  }
  args <- character()
  for (key in names(given)) {
    value <- given[[key]]
    name <- gsub("[._]", "-", key)
    if (is.null(value)) next
    if (name %in% ours) fail(sprintf("%s is set by this package and cannot be changed; the returned result has all output", key), "usage")
    if (name %in% c("tiers", "knowledge") && is.list(value)) {
      path <- file.path(folder, paste0(name, ".json"))
      writeLines(toJSON(lapply(value, function(v) if (is.numeric(v)) unbox(v) else I(v))), path, useBytes = TRUE)
      value <- path
    }
    if (length(value) != 1 && !is.null(types[[name]]) && types[[name]] != "list") fail(sprintf("%s takes one value, got %d", key, length(value)), "usage")
    if (is.logical(value)) value <- tolower(as.character(value))
    if (is.numeric(value)) value <- format(value, digits = 15, scientific = FALSE, trim = TRUE)
    if (length(value) > 0) args <- c(args, paste0("--", if (name %in% set) "set=", name, "=", enc2utf8(as.character(value))))
  }
  args
}
