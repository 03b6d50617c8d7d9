# A result of the program, and its conversions to objects of R.

as_result <- function(outcome) {
  sentences <- warn_of(outcome)
  notes <- said(outcome, "INFO")
  make_result(outcome$output, sentences, notes[!changes_result(notes)])
}

make_result <- function(text, warnings = character(), notes = character()) {
  json <- fromJSON(text, simplifyVector = FALSE)
  structure(list(
    json = json, text = text, edges = edge_frame(json), names = unlist(json$names), method = json$method, kind = json$kind, status = json$status,
    order = unlist(json$certificate$order), warnings = warnings, notes = notes, excluded = excluded_frame(json$table$excluded), stopped = json$status %in% c("canceled", "step_limit")
  ), class = "polydag_result")
}

# excluded_frame returns the columns that are excluded from the graph, with the reasons.
excluded_frame <- function(excluded) {
  column <- function(key) vapply(excluded, function(x) x[[key]], character(1))
  data.frame(name = as.character(column("name")), reason = as.character(column("reason")), detail = as.character(column("detail")), stringsAsFactors = FALSE)
}

# has_slope reports for each edge whether its weight is a slope: the direction is identified and no column has three or more categories. The program
# writes 0 for other edges.
has_slope <- function(json) {
  categorical <- vapply(Filter(function(node) identical(node$kind, "categorical"), json$nodes), `[[`, "", "name")
  vapply(all_edges(json), function(edge) {
    if (edge$mark != "-->" || is.null(edge$weight)) return(FALSE)
    edge$weight != 0 || is.null(edge$effect) && !identical(json$model, "discrete") && !any(c(edge$from, edge$to) %in% categorical)
  }, NA)
}

# all_edges returns the edges of a result, those with a lag after the others.
all_edges <- function(json) c(json$edges, json$lagged)

# is_stated reports for each edge whether its direction is stated. A lag is an order of time.
is_stated <- function(json) {
  vapply(all_edges(json), function(edge) edge$mark == "-->" && (!is.null(edge$lag) || is.null(edge$verdict) || edge$verdict == "directed"), NA)
}

# claimed_mark returns the mark of each edge, --- if the method directed it and the direction is not stated.
claimed_mark <- function(json) {
  marks <- vapply(all_edges(json), `[[`, "", "mark")
  ifelse(marks == "-->" & !is_stated(json), "---", marks)
}

# basis_words has the word of each basis of a direction: prior knowledge, the names of the columns, the model and the rows, or rules about real tables.
basis_words <- c(knowledge = "you", prior = "you", knowledge_and_model = "model", names = "names", model = "model", model_and_rule = "rules", rule = "rules")

# edge_frame returns the edges as they are claimed as a data frame, sorted by score gain. Fields with several values are omitted.
edge_frame <- function(json) {
  edges <- all_edges(json)
  for (i in which(!has_slope(json))) edges[[i]][c("weight", "standardized")] <- NA_real_
  marks <- claimed_mark(json)
  edges <- lapply(seq_along(edges), function(i) {
    edge <- edges[[i]]
    edge$mark <- marks[i]
    edge$basis <- basis_of(edge)
    if (length(json$lagged) > 0 && is.null(edge$lag)) edge$lag <- 0L
    edge
  })
  gain <- vapply(edges, function(edge) if (is.null(edge$gain)) 0 else as.numeric(edge$gain), 0)
  edges <- edges[order(-gain)]
  plain <- lapply(edges, function(edge) Filter(function(value) length(value) == 1 && !is.list(value), edge))
  first <- c("from", "to", if (length(json$lagged) > 0) "lag", "mark", "gain", "weight", "standardized", "verdict", "confidence", "basis", "p_adjacent", "p_direction", "compelled")
  keys <- union(first, unlist(lapply(plain, names)))
  columns <- lapply(keys, function(key) {
    values <- lapply(plain, function(edge) if (is.null(edge[[key]])) NA else edge[[key]])
    if (length(values) == 0) {
      if (key %in% c("from", "to", "mark", "verdict", "basis")) character() else if (key == "compelled") logical() else numeric()
    } else {
      unlist(values)
    }
  })
  names(columns) <- keys
  data.frame(columns, check.names = FALSE, stringsAsFactors = FALSE)
}

# basis_of says in one word what a stated direction rests on.
basis_of <- function(edge) {
  if (!identical(edge$verdict, "directed") || is.null(edge$basis)) return("")
  if (!is.null(edge$lag)) "time" else basis_words[[edge$basis]]
}

# printed_edges returns the named columns of the edges that there are, with the mark of the program's own table, ? for weak, and its digits.
printed_edges <- function(edges, columns) {
  for (key in intersect(c("gain", "weight"), names(edges))) edges[[key]] <- ifelse(is.na(edges[[key]]), "", trimws(formatC(edges[[key]], digits = 4, format = "g")))
  if (!is.null(edges$confidence)) edges$confidence <- sprintf("%.2f", edges$confidence)
  weak <- edges$mark %in% c("-->", "---") & edges$verdict %in% "weak"
  edges$mark[weak] <- "?"
  edges[intersect(columns, names(edges))]
}

select_edges <- function(result, min_confidence = 0, basis = NULL) {
  known <- c(unique(unname(basis_words)), "time")
  if (!all(basis %in% known)) fail(sprintf("basis \"%s\" is unknown; choose %s", setdiff(basis, known)[1], paste(known, collapse = ", ")), "usage")
  if (!(min_confidence >= 0 && min_confidence <= 1)) fail(sprintf("min_confidence is %s; give a number from 0 to 1", format(min_confidence)), "usage")
  json <- result$json
  for (key in c("edges", "lagged")) {
    kept <- lapply(json[[key]], function(edge) {
      directed <- identical(edge$verdict, "directed")
      based <- is.null(basis) || !directed || basis_of(edge) %in% basis
      if (directed && is.null(edge$lag) && !(based && edge$confidence >= min_confidence)) {
        edge$verdict <- "undirected"
        edge$confidence <- edge$p_adjacent
        based <- TRUE
      }
      if (based && (is.null(edge$confidence) || edge$confidence >= min_confidence)) edge
    })
    if (length(kept) > 0) json[[key]] <- Filter(Negate(is.null), kept)
  }
  make_result(as.character(toJSON(json, auto_unbox = TRUE, digits = NA, null = "null")), result$warnings, result$notes)
}

read_result <- function(path) {
  if (!file.exists(path)) fail(sprintf("cannot read %s: no such file or directory", path), "read")
  text <- read_text(path)
  json <- tryCatch(fromJSON(text, simplifyVector = FALSE), error = function(e) NULL)
  if (is.null(json$names) || is.null(json$method)) fail(sprintf("%s is not a result of learn", path), "no-result")
  make_result(text)
}

result_text <- function(result) {
  if (inherits(result, "polydag_result")) return(result$text)
  fail(sprintf("an object of class %s is not a result; give the value of learn or read_result, or a path", class(result)[1]), "usage")
}

# result_file returns the path of a result. A result in memory is written to the folder.
result_file <- function(result, folder) {
  if (is.character(result)) return(sub("^-", "./-", result))
  path <- file.path(folder, "result.json")
  writeBin(charToRaw(result_text(result)), path)
  path
}

# outcome_words are the words of the terminal for the outcomes of assumption checks in the JSON.
outcome_words <- c(passed = "passed", failed = "failed", not_checked = "not checked", untestable = "untestable")

summary.polydag_result <- function(object, n = 10, ...) {
  assumptions <- do.call(rbind, lapply(object$json$assumptions, function(one) {
    data.frame(assumption = one$statement, outcome = outcome_words[[one$outcome]], stringsAsFactors = FALSE)
  }))
  kinds <- vapply(object$json$nodes, function(node) if (is.null(node$kind)) "unknown" else node$kind, "")
  structure(list(
    method = object$method, graph = object$kind, model = object$json$model, status = object$status, rows = object$json$rows, columns = length(object$names),
    kinds = table(kinds, dnn = NULL), marks = table(object$edges$mark, dnn = NULL), edges = head(object$edges, n), more = max(0, nrow(object$edges) - n),
    assumptions = assumptions, warnings = object$warnings, stopped = object$stopped
  ), class = "summary.polydag_result")
}

print.summary.polydag_result <- function(x, ...) {
  counts <- function(of) if (length(of) == 0) "none" else paste(of, names(of), collapse = ", ")
  cat(sprintf("%s by polydag, method %s, %s model%s\n", toupper(x$graph), x$method, x$model, if (x$stopped) ", stopped early" else ""))
  cat(sprintf("Rows:    %d\nColumns: %d (%s)\nEdges:   %s\n", x$rows, x$columns, counts(x$kinds), counts(x$marks)))
  if (nrow(x$edges) > 0) {
    cat("\nEdges with the largest score gain:\n")
    print(printed_edges(x$edges, c("from", "mark", "to", "lag", "gain", "weight", "verdict", "confidence", "basis")), row.names = FALSE, ...)
    if (x$more > 0) cat(sprintf("and %d more\n", x$more))
  }
  if (!is.null(x$assumptions)) {
    cat("\nAssumption checks:\n")
    print(x$assumptions, row.names = FALSE, right = FALSE)
  }
  for (sentence in x$warnings) cat("\nWarning: ", sentence, "\n", sep = "")
  invisible(x)
}

print.polydag_result <- function(x, n = 20, ...) {
  early <- if (x$stopped) ", stopped early" else ""
  left <- if (nrow(x$excluded) > 0) sprintf(", %d column%s excluded", nrow(x$excluded), if (nrow(x$excluded) > 1) "s" else "") else ""
  cat(sprintf("%s by polydag, method %s: %d columns, %d rows, %d edges%s%s\n", toupper(x$kind), x$method, length(x$names), x$json$rows, nrow(x$edges), left, early))
  if (nrow(x$edges) > 0) print(head(printed_edges(x$edges, c("from", "mark", "to", "lag", "weight", "verdict", "confidence", "basis")), n), ...)
  if (nrow(x$edges) > n) cat(sprintf("and %d more\n", nrow(x$edges) - n))
  invisible(x)
}

as.data.frame.polydag_result <- function(x, row.names = NULL, optional = FALSE, ...) x$edges

weight_matrix <- function(result, dag = FALSE) {
  if (length(result$json$lagged) > 0) fail("one matrix cannot hold edges with a lag; use edges or as_igraph", "usage")
  names <- result$names
  w <- matrix(0, length(names), length(names), dimnames = list(names, names))
  slope <- has_slope(result$json)
  marks <- if (dag) dag_marks(result) else claimed_mark(result$json)
  for (i in seq_along(result$json$edges)) {
    edge <- result$json$edges[[i]]
    w[edge$from, edge$to] <- if (slope[i] && marks[i] == "-->") edge$weight else NA
    if (marks[i] != "-->") w[edge$to, edge$from] <- NA
  }
  w
}

# dag_marks returns the marks of the complete DAG, in which every edge has a direction, stated or not.
dag_marks <- function(result) {
  marks <- vapply(all_edges(result$json), `[[`, "", "mark")
  if (any(marks != "-->") || !result$kind %in% c("dag", "average")) fail(sprintf("the method gave a %s, not a DAG; omit dag = TRUE", toupper(result$kind)), "usage")
  marks
}

confidence_matrix <- function(result, what = c("confidence", "frequency", "adjacency", "ancestor")) {
  what <- match.arg(what)
  if (is.null(result$json$confidence)) return(NULL)
  names <- result$names
  m <- matrix(0, length(names), length(names), dimnames = list(names, names))
  for (pair in result$json$confidence$pairs) if (!is.null(pair[[what]])) m[pair$from, pair$to] <- pair[[what]]
  m
}

as_igraph <- function(result, dag = FALSE) {
  if (!requireNamespace("igraph", quietly = TRUE)) fail("igraph is not installed; use edges or weight_matrix, or install igraph", "no-igraph")
  edges <- result$edges
  if (dag) {
    dag_marks(result)
    edges$mark <- rep("-->", nrow(edges))
  } else {
    edges[edges$mark != "-->", c("weight", "standardized")] <- NA
  }
  back <- edges[edges$mark != "-->", , drop = FALSE]
  back[c("from", "to")] <- back[c("to", "from")]
  back$mark <- vapply(back$mark, function(mark) chartr("<>", "><", paste(rev(strsplit(mark, "")[[1]]), collapse = "")), "", USE.NAMES = FALSE)
  igraph::graph_from_data_frame(rbind(edges, back), directed = TRUE, vertices = data.frame(name = result$names))
}

as.igraph.polydag_result <- function(x, dag = FALSE, ...) as_igraph(x, dag)

model_string <- function(result) {
  folder <- scratch()
  on.exit(unlink(folder, recursive = TRUE))
  trimws(call_program(c("convert", "--to=bnlearn", "--", result_file(result, folder), "-"))$output)
}

# bn_arcs returns the arcs of a graph as bnlearn has them: an undirected edge is an arc in both directions.
bn_arcs <- function(result, dag = FALSE) {
  if (!result$kind %in% c("dag", "cpdag", "pdag") || length(result$json$lagged) > 0) {
    what <- if (length(result$json$lagged) > 0) "edges with a lag" else sprintf("the graph of this %s", result$kind)
    fail(sprintf("class bn of bnlearn cannot hold %s; use as_igraph or edges", what), "usage")
  }
  edges <- result$json$edges
  marks <- if (dag) dag_marks(result) else claimed_mark(result$json)
  end <- function(key, of = edges) vapply(of, `[[`, "", key)
  back <- edges[marks == "---"]
  cbind(from = c(end("from"), end("to", back)), to = c(end("to"), end("from", back)))
}

as_bn <- function(result, dag = FALSE) {
  arcs <- bn_arcs(result, dag)
  if (!requireNamespace("bnlearn", quietly = TRUE)) return(arcs)
  net <- bnlearn::empty.graph(result$names)
  if (nrow(arcs) > 0) bnlearn::arcs(net) <- arcs
  net
}

as_dagitty <- function(result, dag = FALSE) {
  if (length(result$json$lagged) > 0) fail("dagitty cannot hold edges with a lag; use as_igraph or edges", "usage")
  name <- function(x) paste0("\"", gsub("\"", "%22", x, fixed = TRUE), "\"")
  lines <- name(result$names)
  marks <- if (dag) dag_marks(result) else claimed_mark(result$json)
  for (i in seq_along(marks)) {
    mark <- c("-->" = "->", "---" = "--", "<->" = "<->", "o->" = "@->", "o--" = "@--", "o-o" = "@-@")[[marks[i]]]
    lines <- c(lines, paste(name(result$json$edges[[i]]$from), mark, name(result$json$edges[[i]]$to)))
  }
  type <- if (result$kind == "pag") "pag" else if (all(marks == "-->")) "dag" else "pdag"
  code <- paste0(type, " {\n", paste(lines, collapse = "\n"), "\n}\n")
  if (requireNamespace("dagitty", quietly = TRUE)) dagitty::dagitty(code) else code
}

save_result <- function(result, path, to = NULL) {
  folder <- scratch()
  on.exit(unlink(folder, recursive = TRUE))
  from <- result_file(result, folder)
  path <- path.expand(path)
  if (is.null(to) && grepl("[.]html?$", path)) {
    call_program(c("report", paste0("--output=", path), "--set", "label=result", "--", from))
  } else {
    call_program(c("convert", if (!is.null(to)) paste0("--to=", to), "--", from, path))
  }
  invisible(path)
}
