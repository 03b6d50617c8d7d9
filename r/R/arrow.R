# A data frame as an Arrow IPC stream, which is what the program reads from its standard input. A column arrives as what the same
# table written as CSV would hold, except that factors stay categorical and ordered factors keep their order. Reference: https://arrow.apache.org/docs/format/Columnar.html.

arrow_batch <- 65536 # rows of a record batch

arrow_types <- list(int = 2, float = 3, utf8 = 5, bool = 6, date = 8, timestamp = 10)

# A number as text tables have it, which a double holds exactly.
number_text <- "^[ \t]*[+-]?([0-9]{1,15}([.][0-9]*)?|[.][0-9]+)([eE][+-]?[0-9]+)?[ \t]*$"

# arrow_column turns a vector into type, details of the type, values, which of them are missing, and levels of text. kind is given for
# factors, categorical or ordinal, and for text with digits: field, which is read as in a CSV file.
arrow_column <- function(name, x) {
  if (inherits(x, "POSIXlt")) x <- as.POSIXct(x)
  if (is.list(x) || !is.null(dim(x))) fail(sprintf("column %s is of class %s, which is not supported; convert it to numbers, text or a factor", name, class(x)[1]), "type")
  if (inherits(x, "difftime")) x <- as.numeric(x, units = "secs")
  if (inherits(x, "POSIXct")) {
    return(list(name = name, type = "timestamp", details = fb_table(fb_number(i16(2))), values = round(as.numeric(x) * 1e6), missing = is.na(x)))
  }
  if (inherits(x, "Date")) {
    return(list(name = name, type = "date", details = fb_table(fb_number(i16(0))), values = as.integer(floor(as.numeric(x))), missing = is.na(x)))
  }
  if (is.character(x) || is.factor(x)) {
    words <- if (is.factor(x)) levels(x) else unique(x[!is.na(x)])
    words <- enc2utf8(words)
    codes <- if (is.factor(x)) as.integer(x) else match(enc2utf8(x), words)
    if (!all(validUTF8(words))) fail(sprintf("column %s has text that is not UTF-8", name), "text")
    kind <- if (is.ordered(x)) "ordinal" else if (is.factor(x)) "categorical" else if (any(grepl("[0-9]", words))) "field"
    if (length(words) == 0 || is.factor(x) || !all(grepl(number_text, words))) {
      return(list(name = name, type = "utf8", details = fb_table(), values = codes - 1L, missing = is.na(x), levels = words, kind = kind))
    }
    x <- as.numeric(words)[codes]
  }
  if (is.logical(x)) return(list(name = name, type = "bool", details = fb_table(), values = x, missing = is.na(x)))
  if (is.integer(x)) return(list(name = name, type = "int", details = int_details(), values = x, missing = is.na(x)))
  if (is.double(x)) return(list(name = name, type = "float", details = fb_table(fb_number(i16(2))), values = as.double(x), missing = is.na(x)))
  fail(sprintf("column %s is of type %s, which is not supported; convert it to numbers, text or a factor", name, typeof(x)), "type")
}

int_details <- function() fb_table(fb_number(i32(32)), fb_number(i8(1)))

# arrow_write writes a data frame to a connection.
arrow_write <- function(data, con) {
  columns <- Map(arrow_column, names(data), unname(as.list(data)))
  fields <- lapply(seq_along(columns), function(i) {
    column <- columns[[i]]
    coding <- if (!is.null(column$levels)) fb_table(fb_number(i64(i)), int_details())
    about <- if (!is.null(column$kind)) list(fb_table("polydag.kind", column$kind))
    if (identical(column$kind, "ordinal")) about <- c(about, list(fb_table("polydag.levels", enc2utf8(as.character(toJSON(column$levels))))))
    fb_table(column$name, fb_number(i8(1)), fb_number(i8(arrow_types[[column$type]])), column$details, coding, list(), about)
  })
  arrow_message(con, 1, fb_table(fb_number(i16(0)), fields), list())
  for (i in seq_along(columns)) {
    words <- columns[[i]]$levels
    if (is.null(words)) next
    texts <- lapply(words, charToRaw)
    ends <- i32(c(0, cumsum(lengths(texts))))
    batch <- arrow_records(length(words), list(list(rows = length(words), nulls = 0, buffers = list(raw(0), ends, as.raw(unlist(texts))))))
    arrow_message(con, 2, fb_table(fb_number(i64(i)), batch$header), batch$body)
  }
  for (first in seq(1, by = arrow_batch, length.out = ceiling(nrow(data) / arrow_batch))) {
    rows <- first:min(first + arrow_batch - 1, nrow(data))
    batch <- arrow_records(length(rows), lapply(columns, arrow_buffers, rows = rows))
    arrow_message(con, 3, batch$header, batch$body)
  }
  writeBin(i32(c(-1, 0)), con)
}

# arrow_buffers returns the bitmap of the values that are there, and the values.
arrow_buffers <- function(column, rows) {
  values <- column$values[rows]
  missing <- column$missing[rows]
  valid <- if (any(missing)) bits(!missing) else raw(0)
  values[missing] <- 0
  data <- switch(column$type,
    bool = bits(values),
    float = writeBin(values, raw(), endian = "little"),
    timestamp = i64(values),
    i32(values)
  )
  list(rows = length(rows), nulls = sum(missing), buffers = list(valid, data))
}

bits <- function(x) packBits(c(as.logical(x), logical((-length(x)) %% 8)), "raw")

# arrow_records returns the table of a record batch and its body, each buffer padded to eight bytes.
arrow_records <- function(rows, parts) {
  buffers <- unlist(lapply(unname(parts), `[[`, "buffers"), recursive = FALSE)
  sizes <- lengths(buffers)
  padded <- sizes + (-sizes) %% 8
  starts <- cumsum(c(0, padded))[seq_along(padded)]
  nodes <- unlist(lapply(unname(parts), function(part) c(part$rows, part$nulls)))
  header <- fb_table(fb_number(i64(rows)), fb_structs(i64(nodes), length(parts)), fb_structs(i64(c(rbind(starts, sizes))), length(buffers)))
  list(header = header, body = Map(function(data, pad) c(data, raw(pad)), buffers, padded - sizes))
}

arrow_message <- function(con, kind, header, body) {
  head <- fb_serialize(fb_table(fb_number(i16(4)), fb_number(i8(kind)), header, fb_number(i64(sum(lengths(body))))))
  writeBin(c(i32(c(-1, length(head))), head), con)
  for (data in body) if (length(data) > 0) writeBin(data, con)
}
