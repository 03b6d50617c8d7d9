# Results, settings, errors and the other commands.
library(polydag)
drawn <- simulate_table(nodes = 6, rows = 400, seed = 2)
stopifnot(identical(dim(drawn$data), c(400L, 6L)), identical(drawn, simulate_table(nodes = 6, rows = 400, seed = 2)))
r <- learn(drawn$data, bootstrap = 10, seed = 3, tiers = list("x0", c("x1", "x2", "x3", "x4", "x5")))
stopifnot(
  inherits(r, "polydag_result"), names(r$edges)[1:3] == c("from", "to", "mark"), nrow(r$edges) == length(r$json$edges), r$json$seed == 3,
  !"x0" %in% r$edges$to, "confidence" %in% names(r$edges), all(r$edges$basis[r$edges$verdict == "directed"] %in% c("you", "names", "model", "rules")),
  all(r$edges$basis[r$edges$verdict != "directed"] == ""), identical(as.data.frame(r), r$edges), !r$stopped
)
print(r)

stopifnot(!is.unsorted(-r$edges$gain))
w <- weight_matrix(r)
first <- r$json$edges[[1]]
stopifnot(identical(weight_matrix(r, dag = TRUE)[first$from, first$to], first$weight), sum(weight_matrix(r, dag = TRUE) != 0) == nrow(r$edges))
stopifnot(sum(is.na(w)) == 2 * sum(r$edges$mark == "---"), sum(w != 0, na.rm = TRUE) == sum(r$edges$mark == "-->"))
c1 <- confidence_matrix(r)
stopifnot(dim(c1) == 6, c1[first$from, first$to] == first$confidence, is.null(confidence_matrix(learn(drawn$data))))
stopifnot(match(first$from, r$order) < match(first$to, r$order))
stopifnot(grepl("^(\\[[^]]+\\])+$", model_string(r)), grepl(paste0("[", first$to, "|"), model_string(r), fixed = TRUE))
if (requireNamespace("igraph", quietly = TRUE)) {
  g <- as_igraph(r)
  dag <- as_igraph(r, dag = TRUE)
  stopifnot(igraph::is_dag(dag), igraph::ecount(dag) == nrow(r$edges), igraph::vcount(dag) == 6)
  stopifnot(igraph::ecount(g) == nrow(r$edges) + sum(r$edges$mark != "-->"), igraph::ecount(igraph::as.igraph(r)) == igraph::ecount(g))
  class <- learn(drawn$data, method = "pc")
  stopifnot(igraph::ecount(as_igraph(class)) == nrow(class$edges) + sum(class$edges$mark != "-->"))
} else if (nzchar(Sys.getenv("REQUIRE_PROGRAMS"))) {
  stop("igraph is not installed (Debian: r-cran-igraph)")
} else {
  message("skipped: igraph is not installed (Debian: r-cran-igraph)")
}

# Views of other packages, with them and without.
s <- summary(r)
stopifnot(inherits(s, "summary.polydag_result"), s$rows == 400, s$columns == 6, sum(s$marks) == nrow(r$edges), nrow(s$assumptions) >= 3)
stopifnot(s$assumptions$outcome %in% c("passed", "failed", "not checked", "untestable"))
# A direction that is not stated is none in any view.
unstated <- r$json
for (i in seq_along(unstated$edges)) unstated$edges[[i]]$verdict <- "undirected"
unstated <- polydag:::make_result(as.character(jsonlite::toJSON(unstated, auto_unbox = TRUE, digits = NA, null = "null")))
stopifnot(unique(unstated$edges$mark) == "---", identical(names(summary(unstated)$marks), "---"), all(unstated$edges$basis == ""))
stopifnot(nrow(polydag:::bn_arcs(unstated)) == 2 * nrow(r$edges), nrow(polydag:::bn_arcs(unstated, dag = TRUE)) == nrow(r$edges))
stopifnot(sum(is.na(weight_matrix(unstated))) == 2 * nrow(r$edges), grepl("^pdag", paste(as_dagitty(unstated), collapse = "")))
stopifnot(sum(grepl(" --- ", capture.output(print(unstated)))) == nrow(r$edges))
stopifnot(all(select_edges(r, basis = "you")$edges$verdict != "directed" | select_edges(r, basis = "you")$edges$basis == "you"), nrow(select_edges(r, 1)$edges) == 0)
shown <- capture.output(print(s))
stopifnot(any(grepl("^Rows: +400", shown)), any(grepl("Assumption checks", shown)), any(grepl(first$from, shown, fixed = TRUE)))
picture <- tempfile(fileext = ".pdf")
grDevices::pdf(picture)
plot(r)
plot(learn(drawn$data, method = "fci"), title = "A <PAG> & more")
invisible(grDevices::dev.off())
stopifnot(file.size(picture) > 3000)
bn <- as_bn(r)
if (requireNamespace("bnlearn", quietly = TRUE)) {
  stopifnot(inherits(bn, "bn"), nrow(bnlearn::arcs(bn)) == nrow(polydag:::bn_arcs(r)))
} else {
  stopifnot(identical(as_bn(r, dag = TRUE), cbind(from = vapply(r$json$edges, `[[`, "", "from"), to = vapply(r$json$edges, `[[`, "", "to"))))
}
for (method in c("pc", "ges", "mmhc")) { # an undirected edge is an arc in both directions
  class <- learn(drawn$data, method = method)
  arcs <- polydag:::bn_arcs(class)
  pairs <- paste(arcs[, "from"], arcs[, "to"])
  open <- class$edges[class$edges$mark == "---", ]
  stopifnot(!anyDuplicated(pairs), setequal(pairs, c(paste(class$edges$from, class$edges$to), paste(open$to, open$from))))
  stopifnot(class$kind == c(pc = "pdag", ges = "cpdag", mmhc = "dag")[[method]], method == "mmhc" || nrow(open) > 0)
  bn <- as_bn(class)
  if (requireNamespace("bnlearn", quietly = TRUE)) {
    stopifnot(setequal(apply(bnlearn::arcs(bn), 1, paste, collapse = " "), pairs), bnlearn::shd(bn, bn) == 0)
  } else {
    stopifnot(identical(bn, arcs))
  }
}
empty <- r
empty$json$edges <- list()
stopifnot(identical(dim(polydag:::bn_arcs(empty)), c(0L, 2L)))
pag <- r
pag$kind <- "pag"
e <- tryCatch(as_bn(pag), polydag_error = identity)
stopifnot(inherits(e, "polydag_usage_error"), grepl("cannot hold the graph of this pag; use as_igraph", conditionMessage(e)))
dag <- as_dagitty(r, dag = TRUE)
if (requireNamespace("dagitty", quietly = TRUE)) {
  stopifnot(inherits(dag, "dagitty"), nrow(dagitty::edges(dag)) == nrow(r$edges))
} else {
  stopifnot(grepl("^dag \\{", dag), grepl(sprintf('"%s" -> "%s"', first$from, first$to), dag, fixed = TRUE), length(gregexpr("->", dag, fixed = TRUE)[[1]]) == nrow(r$edges))
  half <- as_dagitty(learn(drawn$data, method = "pc"))
  stopifnot(grepl("^pdag \\{", half), grepl('" -- "', half, fixed = TRUE))
}
stopifnot(identical(as.data.frame(r), r$edges))

# An edge from a category has no slope, and a weight of 0 is 0.
set.seed(1)
group <- sample(c("a", "b", "c"), 400, TRUE)
x <- rnorm(400)
y <- 2 * (group == "b") + x + rnorm(400)
mixed <- learn(data.frame(group = group, x = x, y = y, z = 3 * y + rnorm(400)), order = c("group", "x", "y", "z"))
of_group <- mixed$edges[mixed$edges$from == "group", ]
stopifnot(nrow(of_group) > 0, is.na(of_group$weight), is.na(weight_matrix(mixed)["group", of_group$to[1]]), weight_matrix(mixed)[of_group$to[1], "group"] == 0)
stopifnot(!is.unsorted(-mixed$edges$gain), !anyNA(mixed$edges$weight[mixed$edges$from != "group"]))
for (extension in c(".adjacency.csv", ".csv")) {
  file <- tempfile(fileext = extension)
  save_result(mixed, file)
  if (extension == ".csv") {
    listed <- read.csv(file)
    stopifnot(identical(is.na(listed$weight), listed$from == "group"), identical(is.na(listed$standardized), listed$from == "group"))
  } else {
    stopifnot(all.equal(as.matrix(read.csv(file, row.names = 1, check.names = FALSE)), weight_matrix(mixed)))
  }
  stopifnot(evaluate(mixed, file)$shd == 0)
}
if (requireNamespace("igraph", quietly = TRUE)) {
  g <- as_igraph(mixed)
  stopifnot(identical(is.na(igraph::E(g)$weight), igraph::as_edgelist(g)[, 1] == "group"))
}
zero <- r
zero$json$edges[[1]]$weight <- 0
stopifnot(weight_matrix(zero)[first$from, first$to] == 0)

path <- tempfile(fileext = ".json")
save_result(r, path)
again <- read_result(path)
stopifnot(identical(again$edges, r$edges))
page <- tempfile(fileext = ".html")
save_result(r, page)
stopifnot(file.size(page) > 1e5)

found <- learn(drawn$data)
counts <- evaluate(found, drawn$truth)
stopifnot(counts$edges_true == nrow(drawn$truth), counts$shd <= 3, evaluate(found, found$edges)$shd == 0)
stopifnot(effect(r, first$from, first$to)$of == first$from)
e <- effect(r, first$from, first$to)
total <- e$effects$total
stopifnot(inherits(e, "polydag_effect"), unname(coef(e)) == total$value, all.equal(unname(confint(e)[1, ]), c(total$low, total$high)))
stopifnot(identical(as.data.frame(e)$effect[1:2], c("total", "direct")), any(grepl("^Effect of", capture.output(print(summary(e))))))
stopifnot(inherits(tryCatch(confint(e, level = 0.5), polydag_error = identity), "polydag_usage_error"))
ranked <- drivers(r, first$to)
stopifnot(nrow(as.data.frame(ranked)) == nrow(ranked$drivers), any(grepl("by their effect on", capture.output(print(ranked)))))
stopifnot(any(grepl("findings", capture.output(print(check_table(drawn$data))))))
truth <- matrix(0, 6, 6, dimnames = list(names(drawn$data), names(drawn$data)))
truth[as.matrix(drawn$truth[c("from", "to")])] <- 1
stopifnot(evaluate(found, truth)$shd == counts$shd, evaluate(found, unname(truth))$shd == counts$shd, test_graph(unname(truth), drawn$data)$schema == "polydag.test/1")
arcs <- structure(list(arcs = as.matrix(drawn$truth[c("from", "to")])), class = "bn")
stopifnot(evaluate(found, arcs)$shd == counts$shd)

# Values of R.
words <- function(...) polydag:::flags("learn", list(...), tempdir())
stopifnot(identical(words(deadline = 1), "--deadline=1s"), identical(words(deadline = as.difftime(2, units = "mins")), "--deadline=120s"))
stopifnot(identical(words(order = c("a", "b")), "--order=a < b"), identical(words(order = list("a", c("b", "c"))), "--order=a < b,c"))
stopifnot(identical(words(kind = c(a = "count", b = "ordinal")), c("--kind=a=count", "--kind=b=ordinal")))
stopifnot(identical(words(prior = data.frame(from = "a", to = "b", p = 0.7)), "--prior=a->b=0.7"))
stopifnot(identical(words(whitelist = data.frame(from = "a", to = "b"), blacklist = cbind("c", "d->e")), c("--require=a->b", "--forbid=c->\"d->e\"")))
listed <- learn(drawn$data, whitelist = data.frame(from = "x3", to = "x0"), blacklist = matrix(c("x1", "x2"), 1))$edges
stopifnot(any(listed$from == "x3" & listed$to == "x0"), !any(listed$from == "x1" & listed$to == "x2"))
where <- rep(c("north", "south"), each = 200)
stopifnot(identical(learn(drawn$data, environments = where)$names, found$names))
series <- simulate_table(lags = 1, nodes = 4, rows = 300)$data
series$time <- NULL
lagged <- learn(series, time = ".")
stopifnot(nrow(lagged$edges) == length(lagged$json$edges) + length(lagged$json$lagged), sum(lagged$edges$lag > 0) == length(lagged$json$lagged))
stopifnot(inherits(tryCatch(weight_matrix(lagged), polydag_error = identity), "polydag_usage_error"))
stopifnot(effect(r, first$from, first$to, data = drawn$data, replicates = 5, given_graph = TRUE)$schema == "polydag.effect/1")
stopifnot(drivers(r, first$to, data = drawn$data, replicates = 5)$on == first$to)
stopifnot(questions(r)$edges == nrow(r$edges), test_graph(drawn$truth, drawn$data)$schema == "polydag.test/1")
stopifnot(why(drawn$data, drawn$data, path, first$to, replicates = 0)$changes$changed == 0)
stopifnot(why(drawn$data, graph = drawn$truth, target = first$to, row = 3)$row$row == 3)
stopifnot(explain_paths(path, first$from, first$to)$to == first$to, check_table(drawn$data)$rows == 400)
stopifnot(confidence(found, drawn$data, bootstrap = 5)$json$confidence$replicates == 5)
stopifnot(run_polydag("path", data = drawn$data, splits = 2)$schema == "polydag.path/1")
listed <- polydag:::flags("learn", list(bootstrap = 5, no.header = TRUE, settings = list(restarts = 3)), tempdir())
stopifnot(identical(listed, c("--bootstrap=5", "--set=no-header=true", "--set=restarts=3")))
stopifnot(learn(drawn$data, settings = list(restarts = 2))$json$settings$restarts == 2)
stopifnot("missing" %in% polydag_settings("learn")$name, "auto" %in% polydag_methods()$name)

fault <- function(expr) tryCatch({
  expr
  NULL
}, polydag_error = identity)
e <- fault(learn(drawn$data, botstrap = 3))
stopifnot(inherits(e, "polydag_usage_error"), e$exit == 2, grepl("did you mean 'bootstrap'", conditionMessage(e)))
stopifnot(grepl("takes one value", conditionMessage(fault(learn(drawn$data, seed = 1:2)))), fault(learn(drawn$data, output = "x"))$code == "usage")
bad <- tempfile(fileext = ".csv")
writeLines(c("a,b", "1,2", "2,?!", "3,4"), bad)
e <- fault(learn(bad, encode = "error"))
stopifnot(e$code == "not-number", e$place$row == 2, e$place$name == "b", length(e$remedies) > 0, !inherits(e, "polydag_usage_error"))

# A run that is stopped early gives its best result and says so.
said <- NULL
early <- withCallingHandlers(learn(drawn$data, method = "polydag-geo", schedule = "paper", steps = 50), warning = function(w) {
  said <<- c(said, conditionMessage(w))
  invokeRestart("muffleWarning")
})
stopifnot(early$stopped, any(grepl("stopped after 50 steps", said)), any(grepl("stopped after 50 steps", early$warnings)))

early <- tryCatch(learn(drawn$data, method = "polydag-geo", schedule = "paper", steps = 50), polydag_stopped = identity)
stopifnot(inherits(early, "polydag_warning"))

# The program is found where install_polydag puts it.
old <- Sys.getenv("POLYDAG_BINARY")
Sys.setenv(POLYDAG_BINARY = file.path(tempdir(), "nothing"))
stopifnot(fault(learn(drawn$data))$code == "no-binary")
Sys.unsetenv("POLYDAG_BINARY")
Sys.setenv(R_USER_DATA_DIR = tempfile("data"))
suppressMessages(install_polydag(binary = old))
stopifnot(startsWith(polydag_binary(), Sys.getenv("R_USER_DATA_DIR")), nrow(learn(drawn$data)$edges) > 0)
stopifnot(fault(install_polydag(binary = "nothing"))$code == "read", fault(install_polydag())$code == "usage", fault(install_polydag(source = tempdir()))$code %in% c("usage", "no-go"))
Sys.setenv(POLYDAG_BINARY = old)

# A program that ends before it has read the table reports why.
wide <- matrix(rnorm(2e6), ncol = 20)
for (progress in c(FALSE, TRUE, FALSE)) stopifnot(fault(learn(wide, missing = "all", progress = progress))$exit == 2)
