# Puts the messages of the program into the words of this package. The program speaks of flags, files and commands; a caller of this
# package gave arguments and objects.

phrases <- rbind(
  c("\\S*polydag-[0-9a-f]+[/\\\\]+(truth|graph)\\.csv: line \\d+, row (\\d+), column \\d+ \\((?:from|to)\\)", "\\1, edge \\2"),
  c("\\S*polydag-[0-9a-f]+[/\\\\]+(result|graph)\\.\\w+", "the \\1"),
  c("\\S*polydag-[0-9a-f]+[/\\\\]+(truth|before|after|tiers|knowledge)\\.\\w+", "\\1"),
  c("polydag ([a-z]+) --help(-all)?", "polydag_settings(\"\\1\")"),
  c("\\bpolydag methods\\b", "polydag_methods()"),
  c("\\bpolydag (check|explain|simulate|test)\\b( \\S+\\.\\w+\\b)?", "\\1()"),
  c("\\bcheck\\(\\)", "check_table()"), c("\\bexplain\\(\\)", "explain_paths()"), c("\\bsimulate\\(\\)", "simulate_table()"), c("\\btest\\(\\)", "test_graph()"),
  c("\\bpolydag (confidence|drivers|effect|evaluate|learn|questions|why)\\b( \\S+\\.\\w+\\b)?", "\\1()"),
  c("\\bpolydag (compare|counts|devices|path|impute|moments|convert|draw|report)\\b", "run_polydag(\"\\1\")"),
  c("unknown flag: ", "unknown argument: "), c("^-: ", "the table: "), c("\\binstead of -(?=$|[ ;,])", "instead of a table in memory"),
  c("\\bstandard input\\b", "the table"), c("^the table: the file has a header but no data\\b", "the table has no rows"),
  c("\\bdeadline reached \\(--deadline\\)", "deadline reached"), c("; the (best )?result so far is written\\b", "; this is the \\1result so far"),
  c("\\bon the command line\\b", "as arguments"), c("\\b(command-line )?flag(s?)\\b", "argument\\2"),
  c("\\bwith exit code 3\\b", "with the best result so far"), c("with the best result so far and with the best result so far", "with the best result so far"),
  c("in formats other than CSV, empty the cells", "in a data frame, make them NA"), c("\\bna=([^\\s\"=;,]+=[^\\s\";,]+)", "na = \"\\1\""),
  c("\\bend it in one of [.]json", "end it in one of .html .json"), c("\\b([a-z]+(?:-[a-z]+)*)=true\\b", "--\\1=true"), c("the graph: the graph ", "the graph "),
  c("; repeatable", "; also a vector"), c("repeat(able)?,? for several files", "a vector for several files"), c("polydag\\.sample_weight", "sample_weight")
)

value_words <- "\"(?:[^\"\\\\]|\\\\.)*\"|[-+]?\\d[\\w.]*|[A-Z][A-Z,:=]*[A-Z]\\b(?:\\.[a-z]+)?"
names_words <- "(?<![\\w\"'-])--(drop|keep|log|time|roots|leaves|of|on|target|groups) (?!(?:and|are|by|for|has|have|if|is|needs|or|to|with)\\b)((?!-)[^\\s,;:()\"]+(?<!\\.)|\\.)"
choice_words <- "(?<![\\w\"'-])--(method|model|missing|device) ([a-z][a-z0-9+-]*)"
setting_words <- paste0("(?<![\\w\"'-])--(?:set[ =])?([a-zA-Z][a-zA-Z0-9-]*)(?:=(\"(?:[^\"\\\\]|\\\\.)*\"|[^\\s,;:()]+)|[ ](", value_words, "))?")

# argument returns the argument of a setting.
argument <- function(name) gsub("-", "_", name, fixed = TRUE)

# sub_each replaces every match of a pattern by what f returns for it and its groups.
sub_each <- function(text, pattern, f) {
  at <- gregexpr(pattern, text, perl = TRUE)
  regmatches(text, at) <- lapply(regmatches(text, at), function(found) {
    vapply(found, function(one) f(regmatches(one, regexec(sub("^\\(\\?<![^)]*\\)", "", pattern), one, perl = TRUE))[[1]]), "", USE.NAMES = FALSE)
  })
  text
}

# in_r returns messages in which settings are arguments and commands are functions.
in_r <- function(text) {
  for (i in seq_len(nrow(phrases))) text <- gsub(phrases[i, 1], phrases[i, 2], text, perl = TRUE)
  text <- sub_each(text, names_words, function(found) sprintf("%s = \"%s\"", argument(found[2]), found[3]))
  text <- in_vectors(text)
  text <- sub_each(text, "\\b([a-z]+(?:-[a-z]+)+) = ", function(found) paste(argument(found[2]), "= "))
  text <- sub_each(text, choice_words, function(found) sprintf("%s = \"%s\"", argument(found[2]), found[3]))
  text <- sub_each(text, setting_words, function(found) {
    value <- paste0(found[3:4][!is.na(found[3:4])], collapse = "")
    if (grepl("^\"(true|false|[-+]?[0-9][0-9.]*)\"$", value)) value <- gsub("\"", "", value)
    if (value == "" && found[2] %in% c("no-header", "force", "normal-scores", "standardize", "posterior", "resume") || value == "true") value <- "TRUE"
    if (value == "false") value <- "FALSE"
    if (grepl("^[A-Z][A-Z,:=]*[A-Z]\\b", value) && !value %in% c("TRUE", "FALSE")) value <- "..."
    if (found[2] %in% c("drop", "keep", "log") && !grepl("\"", value) && value != "") value <- sprintf("\"%s\"", value)
    if (value == "") sprintf("'%s'", argument(found[2])) else sprintf("%s = %s", argument(found[2]), value)
  })
  in_vectors(text)
}

# in_vectors joins settings that are given several times to one vector.
in_vectors <- function(text) {
  sub_each(text, "\\b(\\w+) = (\"[^\"]*\")((?: \\1 = \"[^\"]*\")+)", function(found) {
    sprintf("%s = c(%s)", found[2], paste(regmatches(found[1], gregexpr("\"[^\"]*\"", found[1]))[[1]], collapse = ", "))
  })
}

# sentence_fields are the fields of an answer that hold sentences. All others hold names, values and numbers.
sentence_fields <- c("advice", "caution", "detail", "file", "help", "message", "msg", "note", "notes", "reason", "text", "warnings", "way_out")

# answer_in_r returns the JSON of a command with its sentences in the words of this package.
answer_in_r <- function(value, key = "") {
  if (is.list(value)) {
    keys <- if (is.null(names(value))) rep(key, length(value)) else names(value)
    for (i in seq_along(value)) if (!is.null(value[[i]])) value[[i]] <- answer_in_r(value[[i]], keys[i])
    return(value)
  }
  if (is.character(value) && key %in% sentence_fields && length(value) > 0) in_r(value) else value
}
