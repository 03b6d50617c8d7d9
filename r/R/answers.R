# What the questions about a graph return: the JSON of the program as a list, with methods of R.

print.polydag_answer <- function(x, ...) {
  str(unclass(x), max.level = 1, give.attr = FALSE, no.list = TRUE)
  invisible(x)
}

# effect_rows returns the total and the direct effects and those through each mediator, one per row. With exists, the total effect of an
# effect that bootstrap graphs do not all have is two rows, as the program prints it.
effect_rows <- function(x, exists = FALSE) {
  if (length(x$impulse) > 0) { # of a time series: one row per step
    limit <- function(key) if (is.null(x$impulse[[key]])) NA_real_ else x$impulse[[key]]
    return(data.frame(step = x$impulse$step, estimate = x$impulse$value, low = limit("low"), high = limit("high")))
  }
  column <- function(part, key) if (is.null(part[[key]])) NA_real_ else part[[key]]
  rows <- lapply(seq_along(x$effects$outcome), function(i) {
    parts <- list(total = x$effects$total[i, ], direct = x$effects$direct[i, ])
    own <- x$effects$if_exists[i, ]
    if (exists && !is.null(own) && !is.na(own$low)) {
      averaged <- transform(parts$total, value = if (x$identification == "none") parts$total$value else NA)
      own$value <- if (x$identification == "none") NA else parts$total$value
      parts <- c(list("total, if it exists" = own, "total, averaged over graphs" = averaged), parts["direct"])
    }
    through <- if (is.data.frame(x$effects$through[[i]])) x$effects$through[[i]] else NULL
    for (j in seq_len(NROW(through))) parts[[paste("through", through$name[j])]] <- through[j, ]
    parts <- Filter(Negate(is.null), parts)
    values <- function(key) vapply(parts, function(part) as.numeric(column(part, key)), 0, USE.NAMES = FALSE)
    data.frame(outcome = x$effects$outcome[i], effect = names(parts), estimate = values("value"), low = values("low"), high = values("high"),
               standardized = values("standardized"), stringsAsFactors = FALSE)
  })
  do.call(rbind, rows)
}

as.data.frame.polydag_effect <- function(x, row.names = NULL, optional = FALSE, ...) effect_rows(x)

coef.polydag_effect <- function(object, ...) {
  if (length(object$impulse) > 0) return(setNames(object$impulse$value, object$impulse$step))
  total <- Filter(function(row) row$effect == "total", split(effect_rows(object), seq_along(effect_rows(object)$effect)))
  setNames(vapply(total, `[[`, 0, "estimate"), vapply(total, `[[`, "", "outcome"))
}

# confint returns the intervals of the total effect at the level of the answer. Another level is asked for in effect.
confint.polydag_effect <- function(object, parm, level = object$interval$level, ...) {
  if (is.null(object$interval$level)) fail("the effect has no interval; give the table as data", "no-interval")
  if (!isTRUE(all.equal(level, object$interval$level))) fail(sprintf("the intervals have the level %g; call effect with level = %g", object$interval$level, level), "usage")
  rows <- effect_rows(object)
  if (is.null(rows$effect)) rows$outcome <- rows$step else rows <- rows[rows$effect == "total", ]
  tail <- 100 * (1 - level) / 2
  out <- matrix(c(rows$low, rows$high), ncol = 2, dimnames = list(rows$outcome, sprintf("%g %%", c(tail, 100 - tail))))
  if (missing(parm)) out else out[parm, , drop = FALSE]
}

print.polydag_effect <- function(x, digits = 4, ...) {
  cat(sprintf("Effect of %s on %s (%s model, %d rows)\n", x$of, x$on, x$model, x$rows))
  word <- c(identified = "Identified ", open = "Not identified: ", none = "No effect: ")[x$identification]
  cat(if (is.na(word)) "" else word, x$reason, ".\n", sep = "")
  if (length(x$depends_on) > 0) {
    cat("Depends on edges without a stated direction (probability of this direction): ", paste(sprintf("%s -> %s (%.2f)", x$depends_on$from, x$depends_on$to, x$depends_on$probability), collapse = ", "), ".\n", sep = "")
  }
  if (!isTRUE(x$contrast$unit)) cat(sprintf("Change from %s = %s to %s.\n", x$of, x$contrast$start, x$contrast$end))
  rows <- effect_rows(x, exists = TRUE)
  if (!is.null(rows)) {
    if (length(x$impulse) > 0) cat(sprintf("Change in %s after a change of %s by 1 unit that lasts one step:\n", x$on, x$of))
    if (all(rows$outcome == "mean")) rows$outcome <- NULL
    if (!is.null(x$interval$level)) cat(sprintf("Intervals at the level %g:\n", x$interval$level))
    rows <- rows[vapply(rows, function(values) !all(is.na(values)), NA)]
    print(rows, digits = digits, row.names = FALSE)
  }
  invisible(x)
}

summary.polydag_effect <- function(object, ...) structure(list(effect = object), class = "summary.polydag_effect")

print.summary.polydag_effect <- function(x, ...) {
  print(x$effect, ...)
  set <- x$effect$adjustment$set
  if (isTRUE(x$effect$adjustment$exists)) cat("Adjustment set:", if (length(set) == 0) "empty" else paste(set, collapse = ", "), "\n")
  if (!is.null(x$effect$sensitivity$robustness)) cat(sprintf("Robustness value: %.1f %%\n", 100 * x$effect$sensitivity$robustness))
  for (note in x$effect$notes) cat("Note: ", note, "\n", sep = "")
  if (!is.null(x$effect$caution)) cat("Caution: ", x$effect$caution, "\n", sep = "")
  invisible(x)
}

as.data.frame.polydag_drivers <- function(x, row.names = NULL, optional = FALSE, ...) {
  if (length(x$drivers) == 0) return(data.frame(name = character(), estimate = numeric()))
  plain <- x$drivers[vapply(x$drivers, function(column) is.atomic(column), NA)]
  plain <- plain[setdiff(names(plain), c("low", "high"))] # of the range; those of the interval follow
  number <- function(key) if (is.null(x$drivers$total[[key]])) NA_real_ else x$drivers$total[[key]]
  data.frame(plain, stated = x$drivers$name %in% unlist(x$stated), estimate = number("value"), low = number("low"), high = number("high"), standardized = number("standardized"), stringsAsFactors = FALSE)
}

print.polydag_drivers <- function(x, digits = 4, ...) {
  cat(sprintf("Columns by their effect on %s (%s model, %d rows)\nCaveat: %s.\n%s\n", x$on, x$model, x$rows, x$caveat, x$says))
  rows <- as.data.frame(x)
  if (nrow(rows) == 0) return(invisible(x))
  number <- function(value) trimws(formatC(value, digits = digits, format = "g"))
  either <- function(value, other) if (is.null(value)) other else ifelse(is.na(value), other, value) # an interval of the effect if it exists
  cell <- ifelse(rows$basis %in% "range" & !is.na(either(x$drivers$low, NA)), paste(number(either(x$drivers$low, NA)), "to", number(either(x$drivers$high, NA))), number(rows$estimate))
  cell[rows$basis %in% "not-excluded"] <- "none"
  contrast <- x$drivers$contrast
  no <- rep(FALSE, nrow(rows))
  change <- ifelse(either(contrast$unit, no), "+1", ifelse(either(contrast$deviation, no), "+1 SD", paste(contrast$start, "to", contrast$end)))
  shown <- data.frame(name = rows$name, change = change, estimate = ifelse(rows$stated, cell, sprintf("(%s)", cell)), low = either(x$drivers$if_exists$low, rows$low),
                      high = either(x$drivers$if_exists$high, rows$high), stringsAsFactors = FALSE)
  print(shown[vapply(shown, function(values) !all(is.na(values)), NA)], digits = digits, row.names = FALSE)
  level <- x$interval$level
  if (!is.null(level)) cat(sprintf("low, high: intervals at the level %g%s.\n", level, if (is.null(x$drivers$if_exists)) "" else ", if the effect exists"))
  if (!all(rows$stated)) cat("In parentheses: not stated as an effect, but it holds in the learned graph.\n")
  invisible(x)
}
