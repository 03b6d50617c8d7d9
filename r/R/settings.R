# Translates named arguments into flags and settings of the program, using the output of polydag describe.

known <- new.env()

description <- function() {
  path <- polydag_binary()
  key <- paste(path, file.mtime(path))
  if (is.null(known[[key]])) known[[key]] <- fromJSON(call_program("describe")$output, simplifyVector = FALSE)
  known[[key]]
}

# polydag_settings returns the settings of a command as a data frame.
polydag_settings <- function(command = "learn") {
  flags <- flags_of(command)
  if (is.null(flags)) fail(sprintf("there is no command %s", command), "usage")
  text <- function(x) if (is.null(x)) NA_character_ else as.character(x)
  data.frame(
    name = vapply(flags, `[[`, "", "name"), type = vapply(flags, `[[`, "", "type"),
    default = vapply(flags, function(flag) text(flag$default), ""), set = vapply(flags, function(flag) isTRUE(flag$set), NA), help = in_r(vapply(flags, `[[`, "", "help"))
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

# flags translates named values into arguments of a command. folder is a temporary folder for settings that the program reads from files.
flags <- function(command, given, folder) {
  if (length(given) == 0) return(character())
  if (is.null(names(given)) || any(!nzchar(names(given)))) fail("settings have names, as in bootstrap = 100", "usage")
  given <- merged(given)
  known <- flags_of(command)
  names(known) <- vapply(known, `[[`, "", "name")
  args <- character()
  for (key in names(given)) {
    value <- given[[key]]
    name <- gsub("[._]", "-", key)
    if (name == "whitelist") name <- "require"
    if (name == "blacklist") name <- "forbid"
    if (name %in% ours) fail(sprintf("%s is set by this package and cannot be changed; the returned result has all output", key), "usage")
    if (is.null(value)) next
    value <- natural(key, name, value)
    if (name == "knowledge" && is.list(value)) {
      for (part in intersect(c("require", "forbid"), names(value))) value[[part]] <- natural(key, part, value[[part]])
    }
    if (name %in% c("tiers", "knowledge") && is.list(value)) {
      path <- file.path(folder, paste0(name, ".json"))
      writeLines(toJSON(lapply(value, function(v) if (is.numeric(v)) unbox(v) else I(v))), path, useBytes = TRUE)
      value <- path
    }
    if (length(value) != 1 && !is.null(known[[name]]) && known[[name]]$type != "list") fail(sprintf("%s takes one value, got %d", key, length(value)), "usage")
    if (is.logical(value)) value <- tolower(as.character(value))
    if (is.numeric(value)) value <- number_word(value)
    if (length(value) > 0) args <- c(args, paste0("--", if (isTRUE(known[[name]]$set)) "set=", name, "=", enc2utf8(as.character(value))))
  }
  args
}

number_word <- function(x) format(x, digits = 15, scientific = FALSE, trim = TRUE)

# natural returns a value of R's own types in the form that the program takes.
natural <- function(key, name, value) {
  if (name %in% c("deadline", "checkpoint-every", "nats-wait", "ask-timeout")) {
    if (inherits(value, "difftime")) value <- as.numeric(value, units = "secs")
    return(if (is.numeric(value)) paste0(number_word(value), "s") else value)
  }
  if (name == "kind" && !is.null(names(value))) return(paste0(names(value), "=", unlist(value)))
  if (name == "order" && (is.list(value) || length(value) > 1)) {
    odd <- grep("[,<]", unlist(value), value = TRUE)
    if (length(odd) > 0) fail(sprintf("order cannot hold the name '%s'; give the list as tiers", odd[1]), "usage")
    return(paste(vapply(value, paste, "", collapse = ","), collapse = " < "))
  }
  if (name == "knowledge" && (inherits(value, "bn") || inherits(value, "igraph"))) return(list(require = edge_words(key, value)))
  if (name == "prior" && is.data.frame(value)) return(paste0(edge_words(key, value), "=", number_word(value[[setdiff(names(value), c("from", "to"))[1]]])))
  if (name %in% c("require", "forbid") && (!is.character(value) || is.matrix(value))) return(edge_words(key, value))
  if (key %in% c("whitelist", "blacklist") && !all(grepl("->|\u2192", value))) {
    fail(sprintf("%s: \"%s\" is not an edge; give a data frame with the columns from and to, a matrix of two columns, or texts such as \"a->b\"", key, value[1]), "usage")
  }
  value
}

# edge_words returns edges as texts that the program reads.
edge_words <- function(key, value) {
  quoted <- function(x) ifelse(grepl("->|\u2192|^\"|^\\s|\\s$", x), paste0("\"", gsub("\"", "\"\"", x, fixed = TRUE), "\""), x)
  edges <- edges_of(value, key)
  paste0(quoted(edges$from), "->", quoted(edges$to))
}

# edges_of returns the directed edges of a graph as a data frame: of a data frame or a matrix with the columns from and to, of objects of
# bnlearn and igraph, and of a square matrix whose entry (i, j) is not 0 for an edge from i to j. names are the columns of a matrix without names.
edges_of <- function(x, what, names = NULL) {
  if (inherits(x, "bn")) x <- x$arcs
  if (inherits(x, "igraph")) {
    x <- igraph::as_edgelist(x)
    colnames(x) <- c("from", "to")
  }
  if (is.data.frame(x) && all(c("source", "target") %in% names(x))) x <- data.frame(from = x$source, to = x$target)
  if (is.data.frame(x) && all(c("from", "to") %in% names(x))) return(data.frame(from = as.character(x$from), to = as.character(x$to), stringsAsFactors = FALSE))
  if (is.matrix(x) && is.character(x) && ncol(x) == 2) return(data.frame(from = x[, 1], to = x[, 2], stringsAsFactors = FALSE))
  if (is.matrix(x) && (is.numeric(x) || is.logical(x)) && nrow(x) == ncol(x)) {
    if (!is.null(colnames(x))) names <- colnames(x)
    if (length(names) != ncol(x)) fail(sprintf("%s: the matrix has %d columns, and the graph %d; give it column names", what, ncol(x), length(names)), "usage")
    at <- which(is.na(x) | x != 0, arr.ind = TRUE)
    return(data.frame(from = names[at[, 1]], to = names[at[, 2]], stringsAsFactors = FALSE))
  }
  fail(sprintf("%s: an object of class %s is not a list of edges; give a data frame with the columns from and to, a matrix, or a graph of bnlearn or igraph", what, class(x)[1]), "usage")
}
