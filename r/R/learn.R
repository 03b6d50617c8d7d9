# The commands of the program as functions. The program does all computations.

learn <- function(data, ..., sample_weight = NULL, progress = interactive()) {
  folder <- scratch()
  on.exit(unlink(folder, recursive = TRUE))
  weights <- character()
  if (!is.null(sample_weight)) {
    if (is.character(data) && is.null(dim(data))) fail("sample_weight cannot be given for a file; name its column of weights with row_weights", "usage")
    if (is.matrix(data) && is.null(colnames(data))) colnames(data) <- paste0("x", seq_len(ncol(data)) - 1)
    data <- as.data.frame(data, stringsAsFactors = FALSE)
    if (length(sample_weight) != nrow(data)) fail(sprintf("%d weights for %d rows", length(sample_weight), nrow(data)), "usage")
    data[["polydag.sample_weight"]] <- as.double(sample_weight)
    weights <- "--set=row-weights=polydag.sample_weight"
  }
  table <- source_of(data)
  outcome <- call_program(c("learn", flags("learn", list(...), folder), weights, "--output=-", "--", table$args), table$feed, progress)
  as_result(outcome)
}

confidence <- function(result, data, ..., progress = interactive()) {
  folder <- scratch()
  on.exit(unlink(folder, recursive = TRUE))
  table <- source_of(data)
  args <- c(flags("confidence", list(...), folder), paste0("--data=", table$args), "--output=-", "--", result_file(result, folder))
  as_result(call_program(c("confidence", args), table$feed, progress))
}

check_table <- function(data, ...) run_polydag("check", data = data, ...)

effect <- function(result, of, on, data = NULL, ...) ask_effect(result, c(paste0("--of=", of), paste0("--on=", on)), data, ...)

drivers <- function(result, of, data = NULL, ...) ask_effect(result, paste0("--on=", of), data, ...)

ask_effect <- function(result, question, data, ...) {
  folder <- scratch()
  on.exit(unlink(folder, recursive = TRUE))
  table <- if (is.null(data)) list(args = character(), feed = NULL) else source_of(data)
  args <- c(flags("effect", list(...), folder), question, "--json", "--output=-")
  if (length(table$args) > 0) args <- c(args, paste0("--data=", table$args))
  answer(call_program(c("effect", args, "--", result_file(result, folder)), table$feed))
}

explain <- function(result, start, end, ...) {
  folder <- scratch()
  on.exit(unlink(folder, recursive = TRUE))
  args <- c(flags("explain", list(...), folder), paste0("--from=", start), paste0("--to=", end), "--json")
  answer(call_program(c("explain", args, "--", result_file(result, folder))))
}

evaluate <- function(result, truth, ...) {
  folder <- scratch()
  on.exit(unlink(folder, recursive = TRUE))
  path <- truth
  if (is.data.frame(truth)) {
    path <- file.path(folder, "truth.csv")
    write.csv(truth[c("from", "to")], path, row.names = FALSE, fileEncoding = "UTF-8")
  }
  args <- c(flags("evaluate", list(...), folder), paste0("--truth=", path), "--json")
  answer(call_program(c("evaluate", args, "--", result_file(result, folder))))
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
  args <- c(flags("test", list(...), folder), paste0("--data=", table$args), "--json", "--", graph_file(graph, folder))
  answer(call_program(c("test", args), table$feed))
}

why <- function(before, after = NULL, graph, target = NULL, ...) {
  folder <- scratch()
  on.exit(unlink(folder, recursive = TRUE))
  args <- c(flags("why", list(...), folder), paste0("--graph=", graph_file(graph, folder)), "--json")
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

# graph_file returns the path of a graph: a file, a result, or a data frame with the columns from and to.
graph_file <- function(graph, folder) {
  if (!is.data.frame(graph)) return(result_file(graph, folder))
  path <- file.path(folder, "graph.csv")
  write.csv(graph[c("from", "to")], path, row.names = FALSE, fileEncoding = "UTF-8")
  path
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
  if (is.matrix(data)) {
    if (is.null(colnames(data))) colnames(data) <- paste0("x", seq_len(ncol(data)) - 1)
    data <- as.data.frame(data, stringsAsFactors = FALSE)
  }
  if (!is.data.frame(data)) fail(sprintf("an object of class %s is not a table; give a data frame, a matrix or a path", class(data)[1]), "usage")
  if (ncol(data) == 0) fail("the table has no columns; give at least two", "usage")
  list(args = "-", feed = function(con) arrow_write(data, con))
}

answer <- function(outcome) {
  warn_of(outcome)
  fromJSON(outcome$output)
}
