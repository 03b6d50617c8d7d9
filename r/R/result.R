# What was learned: the program's result.json, with the views that R users expect.

as_result <- function(outcome) {
  sentences <- warn_of(outcome)
  make_result(outcome$output, sentences, said(outcome, "INFO"))
}

make_result <- function(text, warnings = character(), notes = character()) {
  json <- fromJSON(text, simplifyVector = FALSE)
  structure(list(
    json = json, text = text, edges = edge_frame(json$edges), names = unlist(json$names), method = json$method, kind = json$kind, status = json$status,
    order = unlist(json$certificate$order), warnings = warnings, notes = notes, excluded = excluded_frame(json$table$excluded), stopped = json$status %in% c("canceled", "step_limit")
  ), class = "polydag_result")
}

# excluded_frame is the columns that are not in the graph, with the reason of each.
excluded_frame <- function(excluded) {
  column <- function(key) vapply(excluded, function(x) x[[key]], character(1))
  data.frame(name = as.character(column("name")), reason = as.character(column("reason")), detail = as.character(column("detail")), stringsAsFactors = FALSE)
}

# edge_frame is the edges as a data frame, without what is no single value.
edge_frame <- function(edges) {
  plain <- lapply(edges, function(edge) Filter(function(value) length(value) == 1 && !is.list(value), edge))
  first <- c("from", "to", "mark", "strength", "weight", "standardized", "compelled", "direction")
  keys <- union(first, unlist(lapply(plain, names)))
  columns <- lapply(keys, function(key) {
    values <- lapply(plain, function(edge) if (is.null(edge[[key]])) NA else edge[[key]])
    if (length(values) == 0) {
      if (key %in% c("from", "to", "mark", "direction")) character() else if (key == "compelled") logical() else numeric()
    } else {
      unlist(values)
    }
  })
  names(columns) <- keys
  data.frame(columns, check.names = FALSE, stringsAsFactors = FALSE)
}

read_result <- function(path) make_result(read_text(path))

result_text <- function(result) {
  if (inherits(result, "polydag_result")) return(result$text)
  fail(sprintf("an object of class %s is no result; give what learn or read_result returned, or a path", class(result)[1]), "usage")
}

# result_file returns the path of a result; one in memory is written to the folder.
result_file <- function(result, folder) {
  if (is.character(result)) return(sub("^-", "./-", result))
  path <- file.path(folder, "result.json")
  writeBin(charToRaw(result_text(result)), path)
  path
}

print.polydag_result <- function(x, n = 20, ...) {
  early <- if (x$stopped) ", stopped early" else ""
  cat(sprintf("%s by polydag, method %s: %d columns, %d rows, %d edges%s\n", toupper(x$kind), x$method, length(x$names), x$json$rows, nrow(x$edges), early))
  if (nrow(x$edges) > 0) print(head(x$edges[intersect(c("from", "mark", "to", "weight", "confidence", "direction"), names(x$edges))], n), ...)
  if (nrow(x$edges) > n) cat(sprintf("and %d more\n", nrow(x$edges) - n))
  invisible(x)
}

as.data.frame.polydag_result <- function(x, row.names = NULL, optional = FALSE, ...) x$edges

weight_matrix <- function(result) {
  names <- result$names
  w <- matrix(0, length(names), length(names), dimnames = list(names, names))
  for (edge in result$json$edges) {
    if (edge$mark == "-->") {
      w[edge$from, edge$to] <- if (is.null(edge$weight) || edge$weight == 0) 1 else edge$weight
    } else {
      w[edge$from, edge$to] <- w[edge$to, edge$from] <- NA
    }
  }
  w
}

confidence_matrix <- function(result, what = c("confidence", "frequency", "adjacency", "ancestor")) {
  what <- match.arg(what)
  if (is.null(result$json$confidence)) return(NULL)
  names <- result$names
  m <- matrix(0, length(names), length(names), dimnames = list(names, names))
  for (pair in result$json$confidence$pairs) if (!is.null(pair[[what]])) m[pair$from, pair$to] <- pair[[what]]
  m
}

as_igraph <- function(result) {
  if (!requireNamespace("igraph", quietly = TRUE)) fail("igraph is not installed; edges and weight_matrix have the graph without it", "no-igraph")
  edges <- result$edges
  back <- edges[edges$mark != "-->", , drop = FALSE]
  back[c("from", "to")] <- back[c("to", "from")]
  back$mark <- vapply(back$mark, function(mark) chartr("<>", "><", paste(rev(strsplit(mark, "")[[1]]), collapse = "")), "", USE.NAMES = FALSE)
  igraph::graph_from_data_frame(rbind(edges, back), directed = TRUE, vertices = data.frame(name = result$names))
}

model_string <- function(result) {
  folder <- scratch()
  on.exit(unlink(folder, recursive = TRUE))
  trimws(call_program(c("convert", "--to=bnlearn", "--", result_file(result, folder), "-"))$output)
}

save_result <- function(result, path) {
  folder <- scratch()
  on.exit(unlink(folder, recursive = TRUE))
  from <- result_file(result, folder)
  path <- path.expand(path)
  if (grepl("[.]html?$", path)) {
    call_program(c("report", paste0("--output=", path), "--label=result", "--", from))
  } else {
    call_program(c("convert", "--", from, path))
  }
  invisible(path)
}
