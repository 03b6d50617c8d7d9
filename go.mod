module github.com/polydag/polydag

go 1.26
