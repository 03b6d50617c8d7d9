package files

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
)

// headSize is the number of bytes read to detect the format.
const headSize = 4096

// refused lists formats that are detected but not supported, with the remedy.
var refused = []struct{ magic, what string }{
	{"\xfd7zXZ\x00", "it is packed with xz: run xz -d, or pack it with gzip or zstd"},
	{"\x04\x22\x4d\x18", "it is packed with lz4: run lz4 -d, or pack it with gzip or zstd"},
	{"7z\xbc\xaf\x27\x1c", "it is a 7z archive: unpack it and name the table inside"},
	{"PARE", "it is an encrypted Parquet file: write it without encryption"},
	{"FEA1", "it is a Feather 1 file: read it with pandas and write it with df.to_feather, which makes Feather 2"},
	{"ORC", "it is an ORC file: write it as Parquet"},
	{"Obj\x01", "it is an Avro file: write it as Parquet"},
	{"\x89HDF\r\n\x1a\n", hdf5Text},
	{"%%MatrixMarket", "it is a Matrix Market file: in Python run scanpy.read_10x_mtx('folder').to_df().to_parquet('cells.parquet')"},
	{"SQLite format 3\x00", "it is an SQLite database: run sqlite3 -header -csv FILE 'select * from TABLE' > table.csv"},
	{"CDF\x01", "it is a NetCDF file: read it with xarray and write it as Parquet"},
	{"CDF\x02", "it is a NetCDF file: read it with xarray and write it as Parquet"},
	{"MATLAB 5.0", "it is a MATLAB file: write the table with writetable(T, 'table.csv')"},
	{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "it is an old Excel file: save the sheet as CSV UTF-8"},
	{"%PDF", "it is a PDF: get the table behind it as CSV"},
	{"RDX2\n", "it is an RData file: in R run write.csv(table, 'table.csv', row.names = FALSE)"},
	{"RDX3\n", "it is an RData file: in R run write.csv(table, 'table.csv', row.names = FALSE)"},
	{"X\n\x00\x00\x00", "it is an RDS file: in R run write.csv(readRDS('file'), 'table.csv', row.names = FALSE)"},
	{"$FL2", spssText},
	{"$FL3", spssText},
	{"<stata_dta>", stataText},
	{"q\x01", stataText}, {"q\x02", stataText}, {"r\x01", stataText}, {"r\x02", stataText}, {"s\x01", stataText}, {"s\x02", stataText}, // versions 8 to 12
	{"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xc2\xea\x81\x60", sasText},
	{"HEADER RECORD*******LIBRARY HEADER", "it is a SAS transport file. " + pandasText("read_sas('file.xpt', format='xport')") + havenText("read_xpt('file.xpt')")},
	{"PK\x05\x06", "it is an empty zip archive"},
	{"\x7fELF", "it is a program"},
	{"MZ\x90\x00", "it is a program"},
}

var (
	spssText  = "it is an SPSS file. " + pandasText("read_spss('file.sav')") + havenText("read_sav('file.sav')")
	stataText = "it is a Stata file. " + pandasText("read_stata('file.dta')") + havenText("read_dta('file.dta')")
	sasText   = "it is a SAS file. " + pandasText("read_sas('file.sas7bdat', encoding='infer')") + havenText("read_sas('file.sas7bdat')")
)

// pandasText and havenText are the lines of Python and R that write a file that the call reads in a format that is read here.
func pandasText(call string) string {
	return "In Python: import pandas; pandas." + call + ".to_parquet('table.parquet'). "
}

func havenText(call string) string {
	return "In R: write.csv(haven::" + call + ", 'table.csv', row.names = FALSE)"
}

const hdf5Text = "it is an HDF5 or NetCDF file: read it with pandas.read_hdf or xarray and write it as Parquet"

// hdf5Of says how to write the table of an HDF5 file of single cells in a format that is read, or returns "".
func hdf5Of(name string) string {
	switch name = strings.ToLower(name); {
	case strings.HasSuffix(name, ".h5ad"):
		return "it is an AnnData file: in Python run a = anndata.read_h5ad('file.h5ad'); a.to_df().join(a.obs[['perturbation']]).to_parquet('cells.parquet'), with the columns of obs that you need"
	case strings.HasSuffix(name, "_bc_matrix.h5"):
		return "it is an HDF5 file of Cell Ranger: in Python run scanpy.read_10x_h5('file.h5').to_df().to_parquet('cells.parquet')"
	}
	return ""
}

// starts reports whether head starts with a magic number. A magic of letters only, such as PAR1, may also be the first column name
// of a CSV file, so it counts only if bytes follow that no text contains.
func starts(head []byte, mark string) bool {
	if !bytes.HasPrefix(head, []byte(mark)) {
		return false
	}
	if strings.IndexFunc(mark, func(c rune) bool { return isControl(c) || c > '~' }) >= 0 || strings.HasPrefix(mark, "<") || strings.HasPrefix(mark, "%") || len(mark) > 16 {
		return true
	}
	return !isText(head)
}

// isText reports whether the first bytes of a file are text.
func isText(head []byte) bool { return len(head) > 0 && bytes.IndexFunc(head, isControl) < 0 }

// isControl reports whether no text contains c.
func isControl(c rune) bool { return c < ' ' && c != '\t' && c != '\r' && c != '\n' }

// refusal describes an unsupported format that is detected by head, or returns "".
func refusal(head []byte) string {
	for _, f := range refused {
		if starts(head, f.magic) {
			return f.what
		}
	}
	if len(head) > 2 && head[0] == 0x80 && head[1] >= 2 && head[1] <= 5 {
		return "it is a Python pickle: load it where you trust it and write it as Parquet, or np.save the array"
	}
	text := bytes.ToLower(bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n"))
	for _, tag := range []string{"<!doctype html", "<html", "<head", "<body"} {
		if bytes.HasPrefix(text, []byte(tag)) {
			return "it is a web page, perhaps one that asks to log in: download the table itself"
		}
	}
	if bytes.HasPrefix(text, []byte("<?xml")) {
		return "it is XML: export the table as CSV"
	}
	if name := celebaList(head); name != "" {
		return fmt.Sprintf("it is the list of attributes of %s as published, and no table yet", name)
	}
	return ""
}

// celebaList returns the name of the dataset whose attribute list starts with head: a line with the number of images, then one with
// the names.
func celebaList(head []byte) string {
	count, rest, _ := bytes.Cut(head, []byte{'\n'})
	if !bytes.HasPrefix(bytes.TrimSpace(rest), []byte("5_o_Clock_Shadow ")) {
		return ""
	}
	if string(bytes.TrimSpace(count)) == "30000" {
		return "celeba-hq"
	}
	return "celeba"
}

// byMagic returns the format detected from the first bytes, or "". It returns "" for text that may be CSV.
func byMagic(head []byte) string {
	for _, f := range []struct{ magic, format string }{
		{"PAR1", Parquet},
		{"ARROW1", Arrow},
		{"\xff\xff\xff\xff", Arrow}, // continuation mark of a stream
		{"\x93NUMPY", NPY},
		{"PK\x03\x04", NPZ},
	} {
		if starts(head, f.magic) {
			return f.format
		}
	}
	text := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	if len(text) > 0 && text[0] == '[' {
		text = bytes.TrimLeft(text[1:], " \t\r\n")
	}
	if len(text) > 1 && text[0] == '{' {
		if rest := bytes.TrimLeft(text[1:], " \t\r\n"); len(rest) == 0 || rest[0] == '"' || rest[0] == '}' {
			return JSONLines
		}
	}
	return ""
}

// IsTable reports whether a file name is that of a table, by its extension.
func IsTable(name string) bool {
	name = strings.ToLower(name)
	for _, p := range packings {
		name = strings.TrimSuffix(name, "."+p.word)
	}
	ext := filepath.Ext(name)
	return ext == ".csv" || ext == ".xlsx" || ext != ".json" && byExtension(name) != CSV
}

// byExtension returns the format by the extension of a name, ignoring that of a compression. The default is CSV.
func byExtension(name string) string {
	name = strings.ToLower(name)
	for _, p := range packings {
		name = strings.TrimSuffix(name, "."+p.word)
	}
	switch filepath.Ext(name) {
	case ".tsv", ".tab":
		return TSV
	case ".jsonl", ".ndjson", ".json":
		return JSONLines
	case ".parquet", ".pq":
		return Parquet
	case ".arrow", ".arrows", ".feather", ".ipc":
		return Arrow
	case ".npy":
		return NPY
	case ".npz":
		return NPZ
	}
	return CSV
}
