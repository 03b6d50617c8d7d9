# Draws the picture of the program with base graphics: its layout, its colors and its marks. The program writes the picture as SVG, of which
# it uses rectangles, paths of straight lines and Bezier curves, polygons and texts.

plot.polydag_result <- function(x, ...) {
  folder <- scratch()
  on.exit(unlink(folder, recursive = TRUE))
  args <- c("draw", flags("draw", list(...), folder), "--set=format=svg", "--", result_file(x, folder), "-")
  draw_svg(call_program(args)$output)
  invisible(x)
}

# draw_svg draws the elements in their order. The y axis of SVG points down.
draw_svg <- function(svg) {
  elements <- regmatches(svg, gregexpr("<(svg|rect|path|polygon|text)\\b[^>]*>([^<]*</text>)?", svg, perl = TRUE))[[1]]
  box <- numbers(attribute(elements[1], "viewBox"))
  old <- par(mar = c(0, 0, 0, 0))
  on.exit(par(old))
  plot.new()
  plot.window(c(0, box[3]), c(box[4], 0), asp = 1)
  points <- 72 * par("pin")[1] / diff(par("usr")[1:2]) # of the device per unit of the picture
  for (one in elements[-1]) {
    kind <- sub("^<(\\w+).*", "\\1", one)
    line <- max(0.5, number(one, "stroke-width", 0) * points * 96 / 72)
    dashes <- if (is.na(attribute(one, "stroke-dasharray"))) "solid" else "dotted"
    switch(kind,
      rect = rect(number(one, "x"), number(one, "y") + number(one, "height"), number(one, "x") + number(one, "width"), number(one, "y"),
                  col = color(one, "fill"), border = color(one, "stroke"), lwd = line),
      path = for (piece in curves(attribute(one, "d"))) lines(piece, col = color(one, "stroke"), lwd = line, lty = dashes),
      polygon = {
        at <- matrix(numbers(attribute(one, "points")), ncol = 2, byrow = TRUE)
        polygon(at, col = color(one, "fill"), border = color(one, "stroke"))
      },
      text = draw_text(one, points)
    )
  }
}

draw_text <- function(one, points) {
  words <- sub("^<text[^>]*>([^<]*)</text>$", "\\1", one)
  for (mark in list(c("&lt;", "<"), c("&gt;", ">"), c("&quot;", "\""), c("&#34;", "\""), c("&#39;", "'"), c("&amp;", "&"), c("\u2212", "-"))) words <- gsub(mark[1], mark[2], words, fixed = TRUE)
  size <- number(one, "font-size") * points / par("ps")
  size <- size * min(1, number(one, "textLength", Inf) / strwidth(words, cex = size)) # the font of the device may be wider
  align <- switch(attribute(one, "text-anchor"), middle = 0.5, end = 1, 0)
  text(number(one, "x"), number(one, "y"), words, cex = size, adj = c(align, 0), col = color(one, "fill"),
       font = if (identical(attribute(one, "font-weight"), "bold")) 2 else 1)
}

# attribute returns the value of an attribute of an element, or NA.
attribute <- function(element, name) {
  found <- regmatches(element, regexec(sprintf("\\s%s=\"([^\"]*)\"", name), element))[[1]]
  if (length(found) == 2) found[2] else NA_character_
}

numbers <- function(text) as.numeric(regmatches(text, gregexpr("[-+]?[0-9.]+(e[-+]?[0-9]+)?", text))[[1]])

number <- function(element, name, default = NA) {
  value <- suppressWarnings(as.numeric(attribute(element, name)))
  if (is.na(value)) default else value
}

color <- function(element, name) {
  value <- attribute(element, name)
  if (is.na(value) || value == "none") NA else value
}

# curves returns the parts of a path as matrices of points. A Bezier curve is drawn by 17 points.
curves <- function(path) {
  parts <- regmatches(path, gregexpr("[MLC][^MLCZz]*|[Zz]", path))[[1]]
  out <- list()
  at <- NULL
  t <- seq(0, 1, length.out = 17)
  for (part in parts) {
    points <- matrix(numbers(part), ncol = 2, byrow = TRUE)
    kind <- substr(part, 1, 1)
    if (kind == "M") {
      out <- c(out, list(points))
    } else if (kind == "L") {
      out[[length(out)]] <- rbind(out[[length(out)]], points)
    } else if (kind == "C") {
      for (i in seq(1, nrow(points), by = 3)) {
        known <- out[[length(out)]]
        corners <- rbind(known[nrow(known), ], points[i + 0:2, ])
        weights <- cbind((1 - t)^3, 3 * t * (1 - t)^2, 3 * t^2 * (1 - t), t^3)
        out[[length(out)]] <- rbind(known, (weights %*% corners)[-1, ])
      }
    } else {
      out[[length(out)]] <- rbind(out[[length(out)]], out[[length(out)]][1, ])
    }
  }
  out
}
