# Messages speak R: no word of the command line, none of the files that the package writes for the program.
library(polydag)
refused <- "--[a-z]|standard input|standard output|\\bflags?\\b|command line|\\bpolydag [a-z]+ |exit code|polydag-[0-9a-f]{6}|(truth|graph|tiers|knowledge)\\.(csv|json)|truth.*column [0-9]|\\bis written\\b|the file has| = \"(true|[0-9])"
set.seed(1)
rows <- function(n = 60, width = 4) {
  x <- as.data.frame(matrix(rnorm(n * width), n))
  names(x) <- letters[seq_len(width)]
  x[[width]] <- x[[width]] + x[[1]]
  x
}
put <- function(value) {
  x <- rows()
  x[3, 2] <- value
  x
}
tables <- list(
  rows(1), rows(2), rows(60, 1), transform(rows(), a = 1), transform(rows(), a = NA_real_), put(NA), put(Inf), put("x"), cbind(rows(), e = 1:60), cbind(rows(), e = as.Date("2020-01-01") + 1:60),
  transform(rows(), e = a), transform(rows(), e = a + b), transform(rows(), a = a * 1e9), rows() * 1e300, as.data.frame(matrix(rnorm(240), 8)), do.call(rbind, rep(list(rows(20)), 4))
)
good <- rows(200)
settings <- list(
  list(botstrap = 3), list(missing = "all"), list(missing = "error"), list(method = "magic"), list(method = "var-lingam"), list(method = "order", alpha = 0.1), list(method = "pc", restarts = 3),
  list(settings = list(season = 12)), list(steps = 10), list(model = "cubic"), list(model = "discrete"), list(bootstrap = -1), list(bootstrap = 1e7), list(bootstrap = "many"), list(bootstrap = 5, stability = 5),
  list(posterior = TRUE, bootstrap = 5), list(calibrate = 3), list(seed = "x"), list(seed = 1:2), list(threads = 0), list(penalty = -1), list(deadline = -1), list(deadline = "soon"), list(device = "tpu"),
  list(drop = "nothing"), list(drop = c("a", "b", "c")), list(columns = "a"), list(keep = "zz"), list(rows = "x"), list(kind = c(a = "round")), list(require = "a->zz"), list(require = c("a->b", "b->a")),
  list(whitelist = data.frame(from = "a", to = "zz")), list(blacklist = 7), list(prior = "a->b=2"), list(order = "a"), list(order = c("a", "zz")), list(tiers = list("a", "a")), list(tiers = list("a", "zz")),
  list(knowledge = list(wish = "a")), list(knowledge = "no.json"), list(environments = "zz"), list(environments = "a"), list(environments = "a", targets = "b"), list(groups = "zz"), list(time = "zz"), list(lags = 2),
  list(resume = TRUE), list(sensitive = "zz"), list(roots = "zz"), list(names = "perhaps"), list(max_memory = "1K"), list(encode = "x"), list(row_weights = "zz"), list(log = "a"), list(discretize = 99),
  list(consensus = 0.5), list(format = "xls"), list(R = 20), list(bootstrap = TRUE), list(seed = 1.5), list(bootstrap = 1e5, deadline = 0.3), list(progress = sum), list(whitelist = c("a", "b")), list(difference = TRUE), list(output = "x"), list(max_edges = -3)
)
result <- learn(good, bootstrap = 5)
pag <- learn(good, method = "fci")
calls <- c(
  lapply(tables, function(table) function() learn(table)), lapply(tables, function(table) function() check_table(table)), lapply(settings, function(one) function() do.call(learn, c(list(good), one))),
  list(
    function() learn("nosuch.csv"), function() learn(7), function() learn(data.frame()), function() learn(good, sample_weight = -rep(1, 200)), function() learn(good, sample_weight = 1),
    function() effect(result, "a", "zz"), function() effect(result, "a", "a"), function() effect(result, "a", "d", data = rows()), function() effect(result, "a", "d", data = good, level = 3), function() effect(pag, "a", "d"),
    function() effect(result, "a", "d", do = "x"), function() drivers(result, "zz"), function() drivers(pag, "d"), function() explain_paths(result, "a", "zz"), function() explain_paths(pag, "a", "d"),
    function() evaluate(result, data.frame(from = "a", to = "zz")), function() evaluate(result, data.frame(from = "a", to = "a")), function() evaluate(result, "no.csv"), function() evaluate(result, 7),
    function() evaluate(result, diag(2)), function() confidence(result, rows(), bootstrap = 5), function() confidence(result, good, bootstrap = 0), function() questions(pag), function() questions(result),
    function() test_graph(data.frame(from = "a", to = "zz"), good), function() test_graph(pag, good), function() why(good, good, result, "zz"), function() why(good, graph = result, target = "d"),
    function() simulate_table(nodes = 0), function() simulate_table(rows = -1), function() run_polydag("nothing"), function() run_polydag("path", data = good, splits = 0), function() polydag_settings("nothing"),
    function() save_result(result, tempfile(fileext = ".nothing")), function() save_result(pag, tempfile(fileext = ".bnlearn")), function() save_result(result, tempfile(fileext = ".bif")), function() as_bn(pag),
    function() weight_matrix(pag, dag = TRUE), function() model_string(pag), function() plot(result, edges = "x"), function() select_edges(result, 2), function() select_edges(result, basis = "faith"),
    function() read_result(tempfile()), function() read_result(file.path(R.home("share"), "licenses", "license.db")), function() drivers(result, "d", data = good, replicates = 5), function() install_polydag(), function() install_polydag(source = tempdir())
  )
)
sentences <- function(value) if (is.list(value)) unlist(lapply(value, sentences)) else if (is.character(value)) grep(" .* ", value, value = TRUE)
heard <- character()
for (call in calls) {
  value <- tryCatch(withCallingHandlers(call(), polydag_warning = function(w) {
    heard <<- c(heard, conditionMessage(w))
    invokeRestart("muffleWarning")
  }), polydag_error = function(e) conditionMessage(e))
  if (inherits(value, "polydag_result")) value <- list(value$warnings, value$notes)
  heard <- c(heard, if (is.character(value)) value else sentences(value))
}
heard <- unique(heard)
bad <- grep(refused, heard, perl = TRUE, value = TRUE)
if (length(bad) > 0) stop("these messages speak of the command line:\n", paste(bad, collapse = "\n"))
stopifnot(length(heard) > 100, !any(grepl("--[a-z]", polydag_settings("learn")$help)))

# Settings are arguments, as R writes them.
says <- function(program, package) stopifnot(identical(polydag:::in_r(program), package))
says("--bootstrap -3: want at least 0", "bootstrap = -3: want at least 0")
says("--alpha has no effect with --method order; it is", "'alpha' has no effect with method = \"order\"; it is")
says("one: --set no-header", "one: no_header = TRUE")
says("give --data TABLE.csv, or --lambda 0.5", "give data = ..., or lambda = 0.5")
says("use --keep a --keep b to keep them", "use keep = c(\"a\", \"b\") to keep them")
says("a column '--odd' and x--y", "a column '--odd' and x--y")
