# Plots a graph with igraph if it is installed, and with base graphics otherwise.

plot.polydag_result <- function(x, ...) {
  if (requireNamespace("igraph", quietly = TRUE)) {
    plot_igraph(x, ...)
  } else {
    plot_circle(x)
  }
  invisible(x)
}

# plot_igraph draws each edge once, with the arrowheads of its mark if its direction is stated.
plot_igraph <- function(x, ...) {
  edges <- x$edges
  g <- igraph::graph_from_data_frame(edges, directed = TRUE, vertices = data.frame(name = x$names))
  mark <- stated_mark(edges)
  mode <- ifelse(mark %in% c("-->", "o->"), 2, ifelse(mark == "<->", 3, 0))
  chosen <- list(...)
  defaults <- list(layout = igraph::layout_with_sugiyama(g)$layout, edge.arrow.mode = mode, edge.arrow.size = 0.5,
                   vertex.shape = "none", vertex.label.color = "black")
  do.call(plot, c(list(g), chosen, defaults[setdiff(names(defaults), names(chosen))]))
}

# plot_circle draws the names on a circle and the edges as lines between them, with the arrowheads of their marks if the direction is
# stated.
plot_circle <- function(x) {
  old <- par(mar = c(1, 1, 1, 1))
  on.exit(par(old))
  plot.new()
  plot.window(c(-1.3, 1.3), c(-1.3, 1.3), asp = 1)
  angle <- pi / 2 - 2 * pi * (seq_along(x$names) - 1) / max(1, length(x$names))
  at <- cbind(cos(angle), sin(angle))
  rownames(at) <- x$names
  mark <- stated_mark(x$edges)
  for (i in seq_len(nrow(x$edges))) {
    from <- at[x$edges$from[i], ]
    to <- at[x$edges$to[i], ]
    start <- from + 0.12 * (to - from)
    end <- to - 0.12 * (to - from)
    code <- switch(mark[i], "-->" = , "o->" = 2, "<->" = 3, 0)
    if (code == 0) segments(start[1], start[2], end[1], end[2]) else arrows(start[1], start[2], end[1], end[2], length = 0.1, code = code)
  }
  text(at[, 1], at[, 2], x$names)
}
