# The commands of the program as functions. The program does all computations.

learn <- function(data, ..., whitelist = NULL, blacklist = NULL, sample_weight = NULL, progress = interactive()) {
  folder <- scratch()
  on.exit(unlink(folder, recursive = TRUE))
  given <- with_columns(data, c(list(...), list(sample_weight = sample_weight)))
  args <- c(flags("learn", given$settings, folder), listed("whitelist", whitelist, folder), listed("blacklist", blacklist, folder))
  table <- source_of(given$data)
  as_result(call_program(c("learn", args, "--output=-", "--", table$args), table$feed, progress))
}

listed <- function(name, edges, folder) if (!is.null(edges)) flags("learn", setNames(list(edges), name), folder)

# with_columns puts settings that are the values of a column, one per row, into the table, and returns the table and the settings.
with_columns <- function(data, settings) {
  rows <- if (is.data.frame(data) || is.matrix(data)) nrow(data) else 0
  for (key in intersect(names(settings), c("environments", "groups", "series", "targets", "time", "row_weights", "frequencies", "sample_weight"))) {
    values <- settings[[key]]
    if (is.null(values) || length(values) == 1 && key != "sample_weight") next
    if (rows == 0) fail(sprintf("%s cannot be given as values for a file; give the name of its column", if (key == "sample_weight") "row_weights" else key), "usage")
    if (length(values) != rows) fail(sprintf("%d %s for %d rows", length(values), if (key == "sample_weight") "weights" else key, rows), "usage")
    if (is.matrix(data)) data <- plain_frame(data)
    name <- if (key == "sample_weight") "polydag.sample_weight" else key
    data[[name]] <- if (key == "sample_weight") as.double(values) else values
    settings[[if (key == "sample_weight") "row_weights" else key]] <- name
  }
  settings$sample_weight <- NULL
  list(data = data, settings = settings)
}

# plain_frame returns a matrix as a data frame. Columns without names are x0, x1 and so on.
plain_frame <- function(data) {
  if (is.null(colnames(data))) colnames(data) <- paste0("x", seq_len(ncol(data)) - 1)
  as.data.frame(data, stringsAsFactors = FALSE)
}

confidence <- function(result, data, ..., progress = interactive()) {
  folder <- scratch()
  on.exit(unlink(folder, recursive = TRUE))
  table <- source_of(data)
  args <- c(flags("confidence", list(...), folder), paste0("--data=", table$args), "--output=-", "--", result_file(result, folder))
  as_result(call_program(c("confidence", args), table$feed, progress))
}

check_table <- function(data, ...) run_polydag("check", data = data, ...)

effect <- function(result, of, on, data = NULL, ...) ask_effect("polydag_effect", result, c(paste0("--of=", of), paste0("--on=", on)), data, ...)

drivers <- function(result, of, data = NULL, ...) ask_effect("polydag_drivers", result, paste0("--on=", of), data, ...)

ask_effect <- function(class, result, question, data, ...) {
  folder <- scratch()
  on.exit(unlink(folder, recursive = TRUE))
  table <- if (is.null(data)) list(args = character(), feed = NULL) else source_of(data)
  args <- c(flags("effect", list(...), folder), question, "--json", "--output=-")
  if (length(table$args) > 0) args <- c(args, paste0("--data=", table$args))
  answer(call_program(c("effect", args, "--", result_file(result, folder)), table$feed), class)
}

explain_paths <- function(result, start, end, ...) {
  folder <- scratch()
  on.exit(unlink(folder, recursive = TRUE))
  args <- c(flags("explain", list(...), folder), paste0("--from=", start), paste0("--to=", end), "--json")
  answer(call_program(c("explain", args, "--", result_file(result, folder))))
}

evaluate <- function(result, truth, ...) {
  folder <- scratch()
  on.exit(unlink(folder, recursive = TRUE))
  path <- if (is.character(truth) && is.null(dim(truth))) truth else edge_file(truth, "truth", folder, learned_names(result))
  args <- c(flags("evaluate", list(...), folder), paste0("--truth=", path), "--json")
  answer(call_program(c("evaluate", args, "--", result_file(result, folder))))
}

learned_names <- function(result) if (inherits(result, "polydag_result")) result$names

# edge_file writes the edges of a graph and returns the path.
edge_file <- function(graph, name, folder, names = NULL) {
  path <- file.path(folder, paste0(name, ".csv"))
  write.csv(edges_of(graph, name, names), path, row.names = FALSE, fileEncoding = "UTF-8")
  path
}

questions <- function(result, ...) {
  folder <- scratch()
  on.exit(unlink(folder, recursive = TRUE))
  answer(call_program(c("questions", flags("questions", list(...), folder), "--json", "--", result_file(result, folder))))
}

test_graph <- function(graph, data, ...) {
  folder <- scratch()
  on.exit(unlink(folder, recursive = TRUE))
  table <- source_of(data)
  args <- c(flags("test", list(...), folder), paste0("--data=", table$args), "--json", "--", graph_file(graph, folder, colnames(data)))
  answer(call_program(c("test", args), table$feed))
}

why <- function(before, after = NULL, graph, target = NULL, ...) {
  folder <- scratch()
  on.exit(unlink(folder, recursive = TRUE))
  args <- c(flags("why", list(...), folder), paste0("--graph=", graph_file(graph, folder, colnames(before))), "--json")
  if (!is.null(target)) args <- c(args, paste0("--target=", target))
  if (is.null(after)) {
    table <- source_of(before)
    return(answer(call_program(c("why", args, "--", table$args), table$feed)))
  }
  file_of <- function(data, name) {
    if (is.character(data) && is.null(dim(data))) return(sub("^-", "./-", data))
    path <- file.path(folder, name)
    write.csv(data, path, row.names = FALSE, fileEncoding = "UTF-8")
    path
  }
  answer(call_program(c("why", args, "--", file_of(before, "before.csv"), file_of(after, "after.csv"))))
}

# graph_file returns the path of a graph: a file, a result, or edges. names are the columns of a matrix without names.
graph_file <- function(graph, folder, names = NULL) {
  if (inherits(graph, "polydag_result") || is.character(graph) && is.null(dim(graph))) return(result_file(graph, folder))
  edge_file(graph, "graph", folder, names)
}

simulate_table <- function(...) {
  folder <- scratch()
  on.exit(unlink(folder, recursive = TRUE))
  truth <- file.path(folder, "truth.csv")
  outcome <- call_program(c("simulate", flags("simulate", list(...), folder), "--output=-", paste0("--truth=", truth)))
  list(
    data = read.csv(text = outcome$output, check.names = FALSE, na.strings = character(), encoding = "UTF-8"),
    truth = read.csv(truth, check.names = FALSE, na.strings = character(), encoding = "UTF-8")
  )
}

run_polydag <- function(command, ..., data = NULL, files = character(), progress = interactive()) {
  folder <- scratch()
  on.exit(unlink(folder, recursive = TRUE))
  table <- if (is.null(data)) list(args = character(), feed = NULL) else source_of(data)
  answer(call_program(c(command, flags(command, list(...), folder), as_json(command), "--", files, table$args), table$feed, progress))
}

# scratch creates a temporary folder.
scratch <- function() {
  folder <- tempfile("polydag-")
  dir.create(folder)
  folder
}

# source_of returns the arguments that name a table, and a function that writes a table in memory to the pipe as an Arrow stream.
source_of <- function(data) {
  if (is.character(data) && is.null(dim(data))) return(list(args = sub("^-", "./-", data), feed = NULL))
  if (is.matrix(data)) data <- plain_frame(data)
  if (!is.data.frame(data)) fail(sprintf("an object of class %s is not a table; give a data frame, a matrix or a path", class(data)[1]), "usage")
  if (ncol(data) == 0) fail("the table has no columns; give at least two", "usage")
  list(args = "-", feed = function(con) arrow_write(data, con))
}

answer <- function(outcome, class = NULL) {
  warn_of(outcome)
  json <- answer_in_r(fromJSON(outcome$output))
  if (is.list(json)) structure(json, class = c(class, "polydag_answer", class(unclass(json)))) else json
}
