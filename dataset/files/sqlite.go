//go:build !js

package files

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"modernc.org/sqlite"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/fault"
)

// sqliteSource reads a table, a view or a query of an SQLite file. The file is opened as immutable: nothing is written, not even a
// lock. Each value has its stored type: integers and reals are numbers, NULL is missing, TEXT is text even if it looks like a
// number (cast it in a query), and a BLOB is an error. TEXT in a column declared as DATE, DATETIME or TIMESTAMP is a time if it can
// be parsed as one.
//
// A view is an untrusted query from the author of the file. It is read only if it is requested by name and not recursive, and for a
// limited number of steps.
type sqliteSource struct {
	frame
	file     string
	db       *sql.DB
	conn     *sql.Conn
	query    string   // query for all columns
	from     string   // operand of SELECT … FROM
	names    []string // names of all columns, quoted for SQL
	rows     driver.Rows
	row      int
	cells    []driver.Value
	maxText  int
	released bool
	steps    *stepLimit
}

func (in *Input) openSQLite(ctx context.Context) (dataset.Source, error) {
	path := in.path
	if s := in.spool(); s != nil {
		var err error
		if path, err = s.path(); err != nil {
			return nil, in.readFault(err)
		}
	}
	for _, tail := range []string{"-wal", "-journal"} {
		if st, err := os.Stat(path + tail); err == nil && st.Size() > 0 {
			return nil, located(in.Name, ErrDamaged, "%s%s holds changes that are not in the file yet: close the program that writes it, or run sqlite3 %s 'PRAGMA wal_checkpoint(TRUNCATE)'", filepath.Base(path), tail, filepath.Base(path))
		}
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, in.readFault(err)
	}
	abs = filepath.ToSlash(abs)
	if !strings.HasPrefix(abs, "/") {
		abs = "/" + abs // C:/file.db
	}
	dsn := url.URL{Scheme: "file", Path: abs, RawQuery: "mode=ro&immutable=1&_pragma=query_only(1)&_pragma=trusted_schema(0)&_pragma=cell_size_check(1)&_pragma=mmap_size(0)"}
	db, err := sql.Open("sqlite", dsn.String())
	if err != nil {
		return nil, in.readFault(err)
	}
	s := &sqliteSource{file: in.Name, db: db, maxText: in.opt.CSV.MaxLine}
	size := int64(0)
	if st, err := os.Stat(path); err == nil {
		size = st.Size()
	}
	err = guarded(in.Name, func() error { return s.open(ctx, in.opt, size) })
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Numbers of sqlite3_limit, from sqlite3.h.
const (
	limitLength   = 0
	limitAttached = 7
)

// viewSteps limits the steps of a view in a file of this size: some seconds, and more for larger files. A row takes about as many
// steps as it has columns.
func viewSteps(size int64) int64 { return 500_000_000 + 64*size }

func (s *sqliteSource) open(ctx context.Context, opt Settings, size int64) error {
	var err error
	if s.conn, err = s.db.Conn(ctx); err != nil {
		return s.fault(ctx, ErrDamaged, err)
	}
	// Limit values to the length of a line of text, and forbid queries to reach other files.
	if _, err := sqlite.Limit(s.conn, limitLength, s.maxText); err != nil {
		return s.fault(ctx, ErrDamaged, err)
	}
	if _, err := sqlite.Limit(s.conn, limitAttached, 0); err != nil {
		return s.fault(ctx, ErrDamaged, err)
	}
	wrong, most := ErrDamaged, int64(0)
	if opt.Query != "" {
		if wrong, s.from, err = ErrQuery, "", s.checkQuery(opt.Query); err != nil {
			return err
		}
		s.from = "(\n" + strings.TrimRight(opt.Query, "; \t\r\n") + "\n)"
	} else {
		view := false
		if s.from, view, err = s.choose(ctx, opt.Table); err != nil {
			return err
		}
		if view {
			most = viewSteps(size)
		}
	}
	s.query = "SELECT * FROM " + s.from
	if s.steps, err = limitSteps(s.conn, most); err != nil {
		return s.fault(ctx, ErrDamaged, err)
	}
	if !strings.Contains(strings.ToUpper(opt.Query), "WITH") {
		if recursive, err := s.recursive(ctx); err != nil {
			return s.fault(ctx, wrong, err)
		} else if recursive {
			return located(s.file, ErrView, "a view that calls itself need not end")
		}
	}
	if s.rows, err = s.run(ctx, s.query); err != nil {
		return s.fault(ctx, wrong, err)
	}
	s.names = s.rows.Columns()
	columns := make([]dataset.Column, len(s.names))
	for j, name := range s.names {
		columns[j].Name = name
		if t, ok := s.rows.(driver.RowsColumnTypeDatabaseTypeName); ok {
			switch t.ColumnTypeDatabaseTypeName(j) {
			case "DATE", "DATETIME", "TIMESTAMP":
				columns[j].Kind = dataset.Time
			}
		}
	}
	s.frame, err = newFrame(s.file, columns, opt)
	return err
}

// checkQuery accepts only a statement that reads. It is then run inside another SELECT, which does not allow a second statement.
func (s *sqliteSource) checkQuery(query string) error {
	word, _, _ := strings.Cut(strings.TrimLeft(query, "( \t\r\n"), " ")
	word, _, _ = strings.Cut(word, "\n")
	switch strings.ToUpper(strings.TrimSpace(word)) {
	case "SELECT", "WITH", "VALUES":
		return nil
	}
	return located(s.file, ErrQuery, "it starts with %q", shown(word))
}

func quoteName(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// recursive reports whether the query uses recursive views, according to SQLite's query plan.
func (s *sqliteSource) recursive(ctx context.Context) (bool, error) {
	rows, err := s.conn.QueryContext(ctx, "EXPLAIN QUERY PLAN "+s.query)
	if err != nil {
		return false, err
	}
	defer rows.Close()
	found := false
	for rows.Next() {
		var id, parent, unused int
		var detail string
		if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
			return false, err
		}
		found = found || strings.HasPrefix(detail, "RECURSIVE STEP")
	}
	return found, rows.Err()
}

// choose returns the quoted table or view with the given name, or the only table, and whether it is a view.
func (s *sqliteSource) choose(ctx context.Context, table string) (from string, view bool, err error) {
	rows, err := s.conn.QueryContext(ctx, `SELECT name, type = 'view' FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY name LIMIT 10000`)
	if err != nil {
		return "", false, s.fault(ctx, ErrDamaged, err)
	}
	defer rows.Close()
	var names, tables []string
	for rows.Next() {
		var name string
		var isView bool
		if err := rows.Scan(&name, &isView); err != nil {
			return "", false, s.fault(ctx, ErrDamaged, err)
		}
		if names = append(names, name); !isView {
			tables = append(tables, name)
		}
	}
	if err := rows.Err(); err != nil {
		return "", false, s.fault(ctx, ErrDamaged, err)
	}
	list := strings.Join(names[:min(len(names), 20)], ", ")
	switch {
	case len(names) == 0:
		return "", false, located(s.file, ErrNoTable, "the database has no table")
	case table != "":
		k := slices.IndexFunc(names, func(n string) bool { return strings.EqualFold(n, table) })
		if k < 0 {
			return "", false, located(s.file, ErrNoTable, "there is no table %q; there are %s", table, list)
		}
		return quoteName(names[k]), !slices.Contains(tables, names[k]), nil
	case len(tables) == 1:
		return quoteName(tables[0]), false, nil
	case len(tables) == 0:
		return "", false, choiceOf(s.file, fault.Set("table", names[0]), "there are only views, which are read where they are named: %s", list)
	}
	return "", false, choiceOf(s.file, fault.Set("table", tables[0]), "the tables are %s", list)
}

// run starts a query directly on the driver, which saves a conversion of each value.
func (s *sqliteSource) run(ctx context.Context, query string) (driver.Rows, error) {
	var rows driver.Rows
	s.steps.during(ctx)
	err := s.conn.Raw(func(c any) error {
		var err error
		rows, err = c.(driver.QueryerContext).QueryContext(ctx, query, nil)
		return err
	})
	return rows, err
}

func (s *sqliteSource) fault(ctx context.Context, kind, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if s.steps.exceeded() {
		return located(s.file, ErrView, "it was stopped after %d million steps", s.steps.most/1e6)
	}
	return located(s.file, kind, "SQLite says: %v", err)
}

// Select implements dataset.Source. The query then returns only the selected columns.
func (s *sqliteSource) Select(columns []int) error {
	if err := s.frame.Select(columns); err != nil || len(columns) == 0 {
		return err
	}
	list := make([]string, len(columns))
	for k, j := range columns {
		list[k] = quoteName(s.names[j])
	}
	s.query = "SELECT " + strings.Join(list, ", ") + " FROM " + s.from
	return s.restart()
}

// restart makes the next call of Next run the query again.
func (s *sqliteSource) restart() error {
	if s.rows == nil {
		return nil
	}
	err := s.rows.Close()
	s.rows = nil
	return err
}

func (s *sqliteSource) Next(ctx context.Context, b *dataset.Batch) error {
	if err := s.begin(ctx, b); err != nil {
		return err
	}
	err := guarded(s.file, func() error { return s.next(ctx, b) })
	if err != nil {
		b.Reset()
	}
	return err
}

func (s *sqliteSource) next(ctx context.Context, b *dataset.Batch) error {
	if s.released {
		return io.EOF
	}
	if s.rows == nil {
		var err error
		if s.rows, err = s.run(ctx, s.query); err != nil {
			return s.fault(ctx, ErrDamaged, err)
		}
	}
	s.steps.during(ctx)
	d := len(s.columns)
	width := max(len(s.rows.Columns()), 1)
	s.cells = slices.Grow(s.cells[:0], width)[:len(s.rows.Columns())]
	for want := batchRows(d); b.Rows < want && len(b.Text) < 1<<22; {
		if b.Rows%256 == 255 && ctx.Err() != nil {
			return ctx.Err()
		}
		err := s.rows.Next(s.cells)
		if err == io.EOF {
			s.released = true
			if b.Rows == 0 {
				return io.EOF
			}
			return nil
		}
		if err != nil {
			return s.fault(ctx, ErrDamaged, err)
		}
		for j := range d {
			x := math.NaN()
			switch v := s.cells[j].(type) {
			case nil:
			case float64:
				x = v
			case int64:
				x = float64(v)
			case string:
				b.AddText(b.Rows, j, 0, []byte(v))
			case bool:
				if x = 0; v {
					x = 1
				}
			case time.Time:
				x = dataset.Seconds(v)
			case []byte:
				return &dataset.ParseError{File: s.file, Row: s.row + 1, Column: j + 1, Name: s.columns[j].Name, Detail: fmt.Sprintf("a blob of %d bytes", len(v)), Err: ErrType}
			default:
				return located(s.file, ErrType, "row %d holds a %T", s.row+1, v)
			}
			b.Values = append(b.Values, x)
		}
		b.Rows++
		s.row++
	}
	return nil
}

func (s *sqliteSource) Close() error {
	var errs []error
	if s.rows != nil {
		errs = append(errs, s.rows.Close())
		s.rows = nil
	}
	s.steps.release()
	if s.conn != nil {
		errs = append(errs, s.conn.Close())
	}
	return errors.Join(append(errs, s.db.Close())...)
}
