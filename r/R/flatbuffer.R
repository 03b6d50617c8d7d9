# FlatBuffers, as much of them as the metadata of Arrow needs. A table is written as its vtable, its inline part and then its
# children, so that every offset goes forward. Reference: https://flatbuffers.dev/internals/.

# Whole numbers of 16, 32 and 64 bits as bytes, low one first. Those of 64 bits are given as doubles below 2^53.
i8 <- function(x) writeBin(as.integer(x), raw(), size = 1, endian = "little")
i16 <- function(x) writeBin(as.integer(x), raw(), size = 2, endian = "little")
i32 <- function(x) writeBin(as.integer(x), raw(), size = 4, endian = "little")
i64 <- function(x) {
  high <- floor(x / 2^32)
  low <- x - high * 2^32
  low <- ifelse(low >= 2^31, low - 2^32, low)
  lowest <- !is.na(low) & low == -2^31 # which is R's NA
  low[lowest] <- 0
  bytes <- writeBin(as.integer(rbind(low, high)), raw(), size = 4, endian = "little")
  bytes[8 * (which(lowest) - 1) + 4] <- as.raw(0x80)
  bytes
}

# The kinds of fields of a table: a number by its bytes, a vector of structs by its bytes and their count, and tables.
fb_number <- function(bytes) structure(list(bytes = bytes), class = "fb_number")
fb_structs <- function(bytes, count) structure(list(bytes = bytes, count = count), class = "fb_structs")
fb_table <- function(...) structure(list(fields = list(...)), class = "fb_table")

# fb_serialize returns the buffer whose root is the table, padded to a multiple of eight bytes.
fb_serialize <- function(root) {
  out <- new.env()
  out$bytes <- raw(4)
  start <- fb_write(out, root)
  out$bytes[1:4] <- i32(start)
  fb_align(out, 8)
  out$bytes
}

fb_align <- function(out, to, rest = 0) fb_add(out, raw((rest - length(out$bytes)) %% to))

fb_add <- function(out, bytes) out$bytes <- c(out$bytes, bytes)

# fb_point writes the offset from a place, counted from 0, to the child that follows.
fb_point <- function(out, at, child) {
  start <- fb_write(out, child)
  out$bytes[at + 1:4] <- i32(start - at)
}

# fb_write appends a value and returns where it begins, counted from 0.
fb_write <- function(out, value) {
  if (is.character(value)) {
    fb_align(out, 4)
    start <- length(out$bytes)
    text <- charToRaw(enc2utf8(value))
    fb_add(out, c(i32(length(text)), text, as.raw(0)))
    return(start)
  }
  if (inherits(value, "fb_structs")) {
    fb_align(out, 8, 4)
    start <- length(out$bytes)
    fb_add(out, c(i32(value$count), value$bytes))
    return(start)
  }
  if (!inherits(value, "fb_table")) { # a list of tables
    fb_align(out, 4)
    start <- length(out$bytes)
    fb_add(out, c(i32(length(value)), raw(4 * length(value))))
    for (i in seq_along(value)) fb_point(out, start + 4 * i, value[[i]])
    return(start)
  }
  width <- function(field) if (inherits(field, "fb_number")) length(field$bytes) else 4
  offsets <- integer(length(value$fields))
  size <- 4 # the inline part begins with the offset of the vtable
  for (i in seq_along(value$fields)) {
    field <- value$fields[[i]]
    if (is.null(field)) next
    size <- size + (-size) %% width(field)
    offsets[i] <- size
    size <- size + width(field)
  }
  fb_align(out, 2)
  vtable <- length(out$bytes)
  fb_add(out, i16(c(4 + 2 * length(offsets), size, offsets)))
  fb_align(out, 8)
  start <- length(out$bytes)
  fb_add(out, c(i32(start - vtable), raw(size - 4)))
  for (i in seq_along(value$fields)) {
    field <- value$fields[[i]]
    if (inherits(field, "fb_number")) {
      out$bytes[start + offsets[i] + seq_along(field$bytes)] <- field$bytes
    } else if (!is.null(field)) {
      fb_point(out, start + offsets[i], field)
    }
  }
  start
}
