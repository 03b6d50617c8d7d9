# Whatever form a result is handed over in, it has the directed and the undirected edges that the terminal shows, and no number that does not
# exist. The results are those of the same test of the Python package.
library(polydag)
cases <- Sys.getenv("HANDOVER_OF_POLYDAG")
if (!nzchar(cases)) {
  cat("skipped: HANDOVER_OF_POLYDAG does not name python/tests/handover.json\n")
} else {
  program <- function(...) {
    status <- system2(polydag_binary(), shQuote(c(...)))
    stopifnot(status == 0)
  }
  key <- function(a, mark, b, lag) {
    swap <- mark %in% c("---", "<->", "o-o") & a > b
    paste(ifelse(swap, b, a), mark, ifelse(swap, a, b), lag)
  }
  # terminal returns the edges of the table of the terminal.
  terminal <- function(path) {
    out <- tempfile(fileext = ".txt")
    program("convert", path, out, "--to=text")
    lines <- readLines(out, encoding = "UTF-8")
    first <- grep("^  from ", lines)[1]
    last <- first + which(!startsWith(lines[-seq_len(first)], "  "))[1] - 1
    parts <- strsplit(trimws(lines[(first + 1):last]), "\\s+")
    has_lag <- grepl("\\slag\\s", lines[first])
    lag <- if (has_lag) vapply(parts, `[`, "", 4) else rep("0", length(parts))
    mark <- vapply(parts, `[`, "", 2)
    mark <- ifelse(mark == "\u2192", "-->", ifelse(mark == "\u2014", "---", ifelse(mark == "?", ifelse(lag == "0", "---", "-->"), mark)))
    key(vapply(parts, `[`, "", 1), mark, vapply(parts, `[`, "", 3), lag)
  }
  joined <- function(edges) { # what a matrix can tell
    parts <- strsplit(edges, " ")
    mark <- vapply(parts, `[`, "", 2)
    key(vapply(parts, `[`, "", 1), ifelse(mark == "-->", mark, "---"), vapply(parts, `[`, "", 3), "0")
  }
  list_of <- jsonlite::fromJSON(cases, simplifyDataFrame = FALSE)
  stopifnot(length(list_of) == 10)
  for (case in list_of) {
    table <- tempfile(fileext = ".csv")
    path <- tempfile(fileext = ".json")
    do.call(program, as.list(c("simulate", case$simulate, paste0("--output=", table), "--quiet")))
    do.call(program, as.list(c("learn", case$learn, table, paste0("--output=", path), "--quiet")))
    want <- terminal(path)
    r <- read_result(path)
    lagged <- length(r$json$lagged) > 0
    lag <- if (lagged) r$edges$lag else 0
    stopifnot(length(want) >= 3, setequal(key(r$edges$from, r$edges$mark, r$edges$to, lag), want))
    forms <- list(select_edges(r)$edges, read.csv(save_result(r, tempfile(fileext = ".csv"))))
    for (form in forms) stopifnot(setequal(key(form$from, form$mark, form$to, if (lagged) form$lag else 0), want))
    if (requireNamespace("igraph", quietly = TRUE)) {
      edges <- igraph::as_data_frame(as_igraph(r))
      seen <- edges[!edges$mark %in% c("<--", "<-o", "--o"), ]
      stopifnot(setequal(key(seen$from, seen$mark, seen$to, if (lagged) seen$lag else 0), want))
      stopifnot(all(is.na(edges$weight[edges$mark != "-->"])), r$json$model != "discrete" || all(is.na(edges$weight)))
      if (!lagged) stopifnot(nrow(edges) == length(want) + sum(!grepl(" --> ", want)))
    }
    shown <- utils::capture.output(print(r, n = 100))
    stopifnot(sum(grepl(" --> ", shown)) <= sum(grepl(" --> ", want)), length(shown) == length(want) + 2)
    if (lagged) {
      for (refused in list(weight_matrix, as_bn, as_dagitty)) stopifnot(inherits(tryCatch(refused(r), polydag_error = identity), "polydag_usage_error"))
      next
    }
    w <- weight_matrix(r)
    there <- which(is.na(w) | w != 0, arr.ind = TRUE)
    back <- (is.na(w) | w != 0)[there[, 2:1, drop = FALSE]]
    stopifnot(setequal(key(r$names[there[, 1]], ifelse(back, "---", "-->"), r$names[there[, 2]], 0), joined(want)), all(is.na(w[there][back])))
    if (r$kind != "pag") {
      written <- as.matrix(read.csv(save_result(r, tempfile(fileext = ".adjacency.csv")), row.names = 1))
      stopifnot(all.equal(unname(written), unname(w)), identical(is.na(unname(written)), is.na(unname(w))))
    }
    for (on in r$names[1:2]) { # the sentence and the estimates of the terminal
      ranked <- tryCatch(drivers(r, on, data = table, replicates = 10), polydag_error = function(e) NULL) # a PDAG of pc may represent no DAG
      if (is.null(ranked)) break
      text <- system2(polydag_binary(), shQuote(c("effect", path, paste0("--on=", on), paste0("--data=", table), "--set=replicates=10")), stdout = TRUE, stderr = FALSE)
      shown <- utils::capture.output(print(ranked))
      stopifnot(ranked$says %in% text, ranked$says %in% shown)
      if (!identical(r$json$model, "linear") || length(ranked$drivers) == 0) next
      first <- grep("^  column ", text)[1]
      rows <- text[(first + 1):length(text)]
      theirs <- strsplit(trimws(rows[seq_len(which(!startsWith(rows, "  "))[1] - 1)]), " {2,}")
      stopifnot(all(vapply(theirs, function(row) any(grepl(paste0(" ", row[3], " "), paste0(shown, " "), fixed = TRUE)), NA)))
    }
    code <- as_dagitty(r)
    if (is.character(code)) {
      lines <- regmatches(code, gregexpr("\"[^\"]+\" [-<>@]+ \"[^\"]+\"", code))[[1]]
      parts <- do.call(rbind, strsplit(gsub("\"", "", lines), " "))
      mark <- c("->" = "-->", "--" = "---", "<->" = "<->", "@->" = "o->", "@--" = "o--", "@-@" = "o-o")[parts[, 2]]
      stopifnot(setequal(key(parts[, 1], unname(mark), parts[, 3], 0), want))
    }
    if (r$kind == "pag") {
      stopifnot(inherits(tryCatch(as_bn(r), polydag_error = identity), "polydag_usage_error"))
    } else {
      arcs <- polydag:::bn_arcs(r)
      both <- paste(arcs[, 1], arcs[, 2]) %in% paste(arcs[, 2], arcs[, 1])
      stopifnot(setequal(key(arcs[, 1], ifelse(both, "---", "-->"), arcs[, 2], 0), want))
    }
  }
}
