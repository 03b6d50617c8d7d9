# A data frame gives what the command gives for the same table as CSV.
library(polydag)
n <- 300
set.seed(1)
x <- round(rnorm(n), 3) # write.csv has 15 digits
table <- data.frame(
  double = x, integer = as.integer(10 * (x + rnorm(n))), logical = rnorm(n) > 0,
  factor = factor(sample(c("low", "middle", "high"), n, TRUE), levels = c("low", "middle", "high")),
  text = sample(c("red", "gr\u00fcn", "\"q\","), n, TRUE), digits = as.character(sample(900, n, TRUE)),
  day = as.Date("1960-01-01") + sample(9000, n, TRUE), instant = as.POSIXct("2024-01-01", tz = "UTC") + sample(1e9, n, TRUE),
  stringsAsFactors = FALSE
)

# without returns a result without the seconds that it took, where the table came from, and how its text was read.
without <- function(result) {
  json <- result$json
  json$timing <- NULL
  notes <- Filter(function(note) !grepl("^Columns? .* (was|were) read as |are missing values[.]$", note), json$table$notes)
  json$table <- list(json$table$moments_sha256, gsub(" \\((line|row) [0-9]+\\)", "", unlist(notes)))
  json
}

same <- function(table, ...) {
  path <- tempfile(fileext = ".csv")
  write.csv(table, path, row.names = FALSE, na = "", fileEncoding = "UTF-8")
  identical(without(learn(table, ...)), without(learn(path, ...)))
}

stopifnot(same(table))
parts <- table
parts$instant <- as.POSIXlt(parts$instant)
stopifnot(identical(without(learn(parts)), without(learn(table))))
gaps <- table
for (name in names(gaps)) gaps[[name]][sample(n, 9)] <- NA
stopifnot(sum(complete.cases(gaps)) < n, same(gaps, missing = "drop"))

# None is a category among words; NA and ? are missing, and * as far as it is rare.
accident <- sample(c("None", "None", "None", "Mild", "Severe"), n, TRUE)
cost <- ifelse(accident == "None", sample(c("low", "low", "NA", "*", "?"), n, TRUE), sample(c("high", "high", "low", "NA"), n, TRUE))
words <- data.frame(accident, cost, star = sample(c("*", "**", "*"), n, TRUE), x, stringsAsFactors = FALSE)
stopifnot(same(words), identical(unlist(learn(words)$json$nodes[[1]]$levels), c("Mild", "None", "Severe")))

# Amounts, dates, other decimal marks and words among numbers, in columns of text, are read as in CSV.
forms <- data.frame(price = sprintf("%.2f EUR", 20 + x), share = paste0(round(50 + 5 * x + rnorm(n), 1), "%"), day = format(as.Date("2020-01-01") + seq_len(n), "%d.%m.%Y"),
  amount = sub(".", ",", sprintf("%.1f", 100 * x + rnorm(n)), fixed = TRUE), hole = ifelse(seq_len(n) == 7, "n/a", sample(900, n, TRUE)),
  slip = ifelse(seq_len(n) == 10, "about 12", as.character(round(x + rnorm(n), 3))), account = sprintf("1%016d", seq_len(n)), x, stringsAsFactors = FALSE)
said <- character()
stopifnot(withCallingHandlers(same(forms), polydag_warning = function(w) {
  said <<- c(said, conditionMessage(w))
  invokeRestart("muffleWarning")
}))
stopifnot(any(grepl("Column slip: \"about 12\"", said, fixed = TRUE)), "price" %in% learn(forms)$names, !"account" %in% learn(forms)$names)

# The comparison can fail.
other <- table
other$double[1] <- other$double[1] + 1e-9
stopifnot(!identical(without(learn(table)), without(learn(other))))

# More rows than a record batch has; matrices; names of all kinds.
long <- matrix(rnorm(3 * 70000), ncol = 3)
long[, 2] <- long[, 1] + long[, 2]
named <- learn(long)
stopifnot(named$names == c("x0", "x1", "x2"), named$json$rows == 70000, nrow(named$edges) == 1)
hostile <- c("a b", "gr\u00f6\u00dfe", "<b>", "quo\"te", "it's", "-flag", "$HOME", "%s", "semi;colon")
wide <- as.data.frame(matrix(rnorm(200 * length(hostile)), ncol = length(hostile)))
names(wide) <- hostile
wide[["it's"]] <- wide[["a b"]] + wide[["it's"]] / 4
r <- learn(wide, require = "-flag->$HOME", forbid = c("quo\"te->it's", "%s->*"))
stopifnot(identical(enc2utf8(r$names), enc2utf8(hostile)), any(r$edges$from == "-flag" & r$edges$to == "$HOME"))

fault <- function(expr) tryCatch({
  expr
  NULL
}, polydag_error = identity)
stopifnot(
  fault(learn(data.frame(a = 1:3, b = I(list(1, 2, 3)))))$code == "type", fault(learn(7))$code == "usage", fault(learn(data.frame()))$code == "usage",
  fault(learn(data.frame(a = 1:3, b = complex(3))))$code == "type", fault(learn(gaps, missing = "error"))$code == "missing"
)

# Factors are categorical whatever their labels look like, and ordered factors are ordinal in the order of their levels.
set.seed(2)
codes <- sample(3, n, TRUE)
marked <- data.frame(
  zip = factor(sample(seq(10115, by = 137, length.out = 30), n, TRUE)), day = factor(c("2024-01-01", "2024-02-01", "2024-03-01")[sample(3, n, TRUE)]),
  dose = factor(c("low", "middle", "high")[codes], levels = c("low", "middle", "high", "unused"), ordered = TRUE), size = factor(c(30, 5, 100)[codes], levels = c(30, 5, 100), ordered = TRUE),
  count = sample(30, n, TRUE), y = 3 * codes + rnorm(n)
)
kinds <- function(result) {
  kinds <- vapply(result$json$nodes, `[[`, "", "kind")
  names(kinds) <- vapply(result$json$nodes, `[[`, "", "name")
  kinds
}
levels_of <- function(result, name) unlist(Filter(function(node) node$name == name, result$json$nodes)[[1]]$levels)
marked$size[1] <- NA
r <- learn(marked, missing = "drop")
stopifnot(
  identical(kinds(r)[c("zip", "day", "dose", "size", "count")], c(zip = "categorical", day = "categorical", dose = "ordinal", size = "ordinal", count = "count")),
  identical(levels_of(r, "dose"), c("low", "middle", "high")), identical(levels_of(r, "size"), c("30", "5", "100")), length(levels_of(r, "zip")) == 30
)
