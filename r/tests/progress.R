# A run with a bar gives what a run without one gives, and the bar shows the events.
library(polydag)
drawn <- simulate_table(nodes = 6, rows = 300, seed = 4)$data
with_bar <- learn(drawn, seed = 1, progress = TRUE)
stopifnot(identical(with_bar$edges, learn(drawn, seed = 1, progress = FALSE)$edges), !with_bar$stopped)
checked <- run_polydag("check", data = drawn, progress = TRUE)
stopifnot(identical(checked, check_table(drawn, progress = FALSE)))
refused <- tryCatch(learn(drawn, bootstrap = "many", progress = TRUE), polydag_error = identity)
stopifnot(inherits(refused, "polydag_error"), grepl("many", refused$message))
absent <- tryCatch(learn("not-there.csv", progress = TRUE), polydag_error = identity)
stopifnot(inherits(absent, "polydag_error"), grepl("not-there.csv", absent$message))

# The latest event counts, and a line that is half written does not.
said <- tempfile()
event <- function(stage, step, steps) sprintf('{"level":"INFO","msg":"progress","stage":"%s","step":%d,"steps":%d}', stage, step, steps)
writeLines(c(event("order", 1, 4), "no event", event("order", 2, 4)), said)
cat('{"level":"INFO","msg":"progr', file = said, append = TRUE)
stopifnot(polydag:::latest_progress(said)$step == 2, is.null(polydag:::latest_progress(tempfile())))
writeLines(event("order", 3, 0), said) # of which the total is not known
stopifnot(is.null(polydag:::latest_progress(said)))

# Each stage has a bar of its own.
path <- tempfile()
out <- file(path, "w")
bar <- polydag:::progress_bar(out, after = 0)
bar$draw(NULL)
bar$draw(list(stage = "order", step = 1, steps = 4))
bar$draw(list(stage = "bootstrap", step = 10, steps = 20))
bar$end()
close(out)
text <- paste(readLines(path, warn = FALSE), collapse = "\n")
stopifnot(grepl("^order", text), grepl("25%", text), grepl("bootstrap.* 50%", text))

# In the first second there is none.
out <- file(path, "w")
early <- polydag:::progress_bar(out)
early$draw(list(stage = "order", step = 1, steps = 4))
early$end()
close(out)
stopifnot(file.size(path) == 0)

# A run whose exit code could not be written ends, too.
lost <- tempfile()
invisible(file.create(lost))
stopifnot(polydag:::watch(lost, tempfile(), patience = 0.2)$code == 1L)
