package files_test

import (
	"database/sql"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/polydag/polydag/dataset/files"

	"github.com/polydag/polydag/internal/must"
)

// database makes an SQLite file by SQL.
func database(t testing.TB, statements ...string) string {
	dir := t.TempDir()
	db, err := sql.Open("sqlite", filepath.Join(dir, "t.db"))
	must.Succeed(t, err)
	for _, s := range statements {
		_, err := db.Exec(s)
		must.Succeed(t, err)
	}
	must.Succeed(t, db.Close())
	path := filepath.Join(dir, "odd name? #1%20.db")
	must.Succeed(t, os.Rename(filepath.Join(dir, "t.db"), path))
	return path
}

func readPath(t testing.TB, path string, opt Settings) *content {
	t.Helper()
	in, err := Open(path, nil, opt)
	must.Succeed(t, err)
	defer in.Close()
	return tableOf(t, in)
}

func TestSQLiteTables(t *testing.T) {
	path := database(t, `CREATE TABLE people (name TEXT, age INTEGER, "odd "" name" REAL)`, `CREATE TABLE things (x, y)`, `CREATE VIEW old AS SELECT age, 2*age AS twice FROM people WHERE age > 40`,
		`INSERT INTO people VALUES ('Ann', 30, 1.5), ('Bob', 50, NULL), ('12', 60, 2)`, `INSERT INTO things VALUES (1, 2)`)
	err := firstFault(t, path, options())
	if !errors.Is(err, ErrChoice) || !strings.Contains(err.Error(), "the tables are old, people, things: table=people") {
		t.Errorf("three tables: %v", err)
	}
	got := readPath(t, path+"?table=people", options())
	if fmt.Sprintf("%q %v", got.names, got.values) != `["name" "age" "odd \" name"] [NaN 30 1.5 NaN 50 NaN NaN 60 2]` || got.texts[[2]int{2, 0}] != "12" {
		t.Errorf("people: %q %v %v", got.names, got.values, got.texts)
	}
	opt := options()
	opt.Table = "OLD"
	if got := readPath(t, path, opt); fmt.Sprint(got.names, got.values) != "[age twice] [50 100 60 120]" {
		t.Errorf("view: %v %v", got.names, got.values)
	}
	opt = options()
	opt.Query = "SELECT age, length(name) AS n FROM people ORDER BY age DESC;\n"
	if got := readPath(t, path, opt); fmt.Sprint(got.names, got.values) != "[age n] [60 2 50 3 30 3]" {
		t.Errorf("query: %v %v", got.names, got.values)
	}
	opt.Query = "WITH r AS (SELECT 1 AS a UNION ALL SELECT 2) SELECT a, a*a AS b FROM r"
	if got := readPath(t, path, opt); fmt.Sprint(got.values) != "[1 1 2 4]" {
		t.Errorf("with: %v", got.values)
	}
	opt = options()
	opt.Table = "nosuch"
	if err := firstFault(t, path, opt); !errors.Is(err, ErrNoTable) || !strings.Contains(err.Error(), "old, people, things") {
		t.Errorf("no such table: %v", err)
	}
}

// A view is read where it is named, and not where it need not end.
func TestSQLiteViews(t *testing.T) {
	path := database(t, `CREATE TABLE people (age INTEGER, size REAL)`, `INSERT INTO people VALUES (30, 1.5), (50, 2)`,
		`CREATE VIEW endless AS WITH RECURSIVE t(a, b) AS (SELECT 1, 2 UNION ALL SELECT a + 1, b FROM t) SELECT a, b FROM t`,
		`CREATE VIEW silent AS SELECT a, b FROM endless WHERE a < 0`)
	if got := readPath(t, path, options()); fmt.Sprint(got.names) != "[age size]" {
		t.Errorf("the only table: %v", got.names)
	}
	for _, view := range []string{"endless", "silent"} {
		opt := options()
		opt.Table = view
		if err := firstFault(t, path, opt); !errors.Is(err, ErrView) || !strings.Contains(err.Error(), "CREATE TABLE") {
			t.Errorf("%s: %v", view, err)
		}
		opt.Table, opt.Query = "", "SELECT * FROM "+view
		if err := firstFault(t, path, opt); !errors.Is(err, ErrView) {
			t.Errorf("a query of %s: %v", view, err)
		}
	}
	if err := firstFault(t, database(t, `CREATE VIEW v AS SELECT 1 AS a, 2 AS b`), options()); !errors.Is(err, ErrChoice) || !strings.Contains(err.Error(), "only views, which are read where they are named: v: table=v") {
		t.Errorf("only a view: %v", err)
	}
}

// A query can read this file and do nothing else.
func TestSQLiteQueryOnlyReads(t *testing.T) {
	path := database(t, `CREATE TABLE t (x, y)`, `INSERT INTO t VALUES (1, 2)`)
	before, err := os.ReadFile(path)
	must.Succeed(t, err)
	other := filepath.Join(t.TempDir(), "other.db")
	for _, q := range []string{
		"DELETE FROM t", "SELECT 1 AS a, 2 AS b; DELETE FROM t", "PRAGMA journal_mode = DELETE", "ATTACH '" + other + "' AS o",
		"SELECT * FROM t) ; ATTACH '" + other + "' AS o; SELECT * FROM (t", "VACUUM INTO '" + other + "'",
		"SELECT 1 AS a) ; VACUUM INTO '" + other + "'; SELECT * FROM (SELECT 2 AS a", "WITH x AS (SELECT 1) INSERT INTO t SELECT 3, 4",
		"SELECT load_extension('x') AS a", "SELECT nosuch FROM t", "", ";", "-- nothing",
	} {
		opt := options()
		opt.Query = q
		if q == "" {
			opt.Query = " "
		}
		if err := firstFault(t, path, opt); !errors.Is(err, ErrQuery) {
			t.Errorf("%q: %v", q, err)
		}
	}
	after, err := os.ReadFile(path)
	must.Succeed(t, err)
	if string(before) != string(after) {
		t.Error("the file changed")
	}
	if _, err := os.Stat(other); err == nil {
		t.Error("another file was made")
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*")); len(left) != 1 {
		t.Errorf("files beside the database: %q", left)
	}
}

func TestSQLiteValues(t *testing.T) {
	path := database(t, `CREATE TABLE t (d DATE, x, b BLOB)`, `INSERT INTO t VALUES ('1970-01-02', 1, NULL), ('not a date', 9223372036854775807, NULL), (NULL, 2.5, NULL)`)
	got := readPath(t, path, options())
	if got.values[0] != 86400 || got.values[4] != math.MaxInt64 || got.values[7] != 2.5 || got.texts[[2]int{1, 0}] != "not a date" {
		t.Errorf("%v %v", got.values, got.texts)
	}
	path = database(t, `CREATE TABLE t (a, b)`, `INSERT INTO t VALUES (1, 2), (3, x'0102')`)
	err := firstFault(t, path, options())
	if !errors.Is(err, ErrType) || !strings.Contains(err.Error(), "row 2, column 2 (b)") || !strings.Contains(err.Error(), "a blob of 2 bytes") {
		t.Errorf("blob: %v", err)
	}
	in, err := Open(path, nil, options())
	must.Succeed(t, err)
	defer in.Close()
	if c := tableOf(t, in, 0); c.rows != 2 {
		t.Errorf("a blob that is not selected: %d rows", c.rows)
	}
	if err := firstFault(t, database(t, `CREATE TABLE t (a, b)`, `DROP TABLE t`), options()); !errors.Is(err, ErrNoTable) {
		t.Errorf("no table: %v", err)
	}
}

// Changes that are still in the journal would be missed.
func TestSQLiteJournal(t *testing.T) {
	path := database(t, `CREATE TABLE t (a, b)`, `INSERT INTO t VALUES (1, 2)`)
	must.Succeed(t, os.WriteFile(path+"-wal", []byte("x"), 0o600))
	if err := firstFault(t, path, options()); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "wal_checkpoint") {
		t.Error(err)
	}
}

func TestSQLiteCutShort(t *testing.T) {
	data := mixed(2000, 61).sqlite(t)
	faults := 0
	for k := 1; k < 20; k++ {
		if firstFault(t, save(t, "t.db", data[:len(data)*k/20]), options()) != nil {
			faults++
		}
	}
	if faults != 19 {
		t.Errorf("%d of 19 cut files are found out", faults)
	}
}

// A database that comes as a stream is kept in a file with a name, made by whoever wants to keep an account of it; a stream of
// another format leaves no name.
func TestCreateTemp(t *testing.T) {
	data, err := os.ReadFile(database(t, `CREATE TABLE t (x, y)`, `INSERT INTO t VALUES (1, 2), (3, 4)`))
	must.Succeed(t, err)
	dir := t.TempDir()
	var made []string
	opt := options()
	opt.CreateTemp = func(_, pattern string) (*os.File, error) {
		f, err := os.CreateTemp(dir, pattern)
		if err == nil {
			made = append(made, f.Name())
		}
		return f, err
	}
	for _, c := range []struct {
		text string
		want int
	}{{string(data), 1}, {"x,y\n" + strings.Repeat("1,2\n", 1<<19), 1}} {
		in, err := Open("-", strings.NewReader(c.text), opt)
		must.Succeed(t, err)
		tableOf(t, in)
		must.Succeed(t, in.Close())
		if len(made) != c.want {
			t.Fatalf("%d files, want %d", len(made), c.want)
		}
	}
	if _, err := os.Stat(made[0]); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is still there", made[0])
	}
}
