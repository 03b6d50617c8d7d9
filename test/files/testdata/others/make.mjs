// Writes the tables of this folder with DuckDB and polars, which come with their programs inside:
//
//   npm install && node make.mjs
//
// Every value is computed from the number of its row. NAME.want.csv is the writer's own export of what its other files hold, with
// \N where a value is missing; others_test.go holds each file to it, value by value.
import { DuckDBInstance } from '@duckdb/node-api';
import polars from 'nodejs-polars';
import { readFileSync, writeFileSync } from 'node:fs';

const rows = 75;
const many = 4200; // three row groups of DuckDB

const scalars = `
  i::INTEGER AS i,
  (i * 123456789012 - 9000000000000000)::BIGINT AS big,
  (i % 256)::UTINYINT AS tiny,
  CASE WHEN i % 5 <> 1 THEN (32000 - 321 * (i % 200))::SMALLINT END AS small,
  CASE WHEN i % 7 <> 3 THEN ((i * 7919) % 10007) / 997.0 - 5 END::DOUBLE AS real,
  (((i * 31) % 101) / 7)::FLOAT AS float,
  (((i * 37) % 997) * 0.01 - 3)::DECIMAL(4, 2) AS dec4,
  CASE WHEN i % 6 <> 0 THEN (((i * 3571) % 99991) * 0.001 - 40)::DECIMAL(9, 3) END AS dec9,
  (i * 1234567.0123 - 5)::DECIMAL(18, 4) AS dec18,
  (i * 12345678901234567.0123456 - 5)::DECIMAL(38, 7) AS dec38,
  CASE WHEN i % 4 <> 2 THEN i % 3 = 0 END AS truth,
  CASE WHEN i % 9 <> 4 THEN DATE '1899-12-31' + (i * 397)::INTEGER END AS day,
  TIMESTAMP '1969-12-31 23:00:00.25' + INTERVAL (i * 8641) SECOND AS instant,
  (TIMESTAMP '2024-02-29 12:00:00' + INTERVAL (i * 61) SECOND)::TIMESTAMP_S AS instant_s,
  (TIMESTAMP '2024-02-29 12:00:00.125' + INTERVAL (i * 61) SECOND)::TIMESTAMP_MS AS instant_ms,
  CASE WHEN i % 11 <> 5 THEN make_timestamp_ns(1709208000000000001 + i * 1000000007) END AS instant_ns,
  (TIMESTAMP '2024-02-29 12:00:00' + INTERVAL (i * 3607) SECOND)::TIMESTAMPTZ AS zoned,
  TIME '00:00:01.5' + INTERVAL (i * 173) SECOND AS clock,
  CASE WHEN i % 8 <> 7 THEN 'row ' || i || chr((97 + i % 26)::INTEGER) || ' – grün, "№"' END AS word,
  CASE i % 4 WHEN 0 THEN 'north' WHEN 1 THEN 'a level of more than twelve letters' WHEN 2 THEN 'west' END AS level,
  NULL::INTEGER AS nothing`;

const nested = `
  CASE WHEN i % 3 <> 1 THEN [i, i + 1] END AS list,
  {'a': i, 'b': 'x' || i} AS structure,
  MAP {'k': i} AS map`;

const db = await (await DuckDBInstance.create(':memory:')).connect();
await db.run("SET timezone = 'UTC'; SET threads = 1");
for (const [name, count] of [['t', rows], ['long', many]]) {
  await db.run(`CREATE TABLE ${name} AS SELECT ${scalars}, ${nested} FROM range(${count}) r(i)`);
}
const copy = (query, file, options) => db.run(`COPY (${query}) TO '${file}' (${options})`);
const flat = 'SELECT * EXCLUDE (list, structure, map) FROM t';
const few = 'SELECT i, real, dec9, day, level FROM long';

await copy(flat, 'duckdb.want.csv', "FORMAT csv, NULLSTR '\\N'");
await copy(flat, 'duckdb.csv', 'FORMAT csv');
await copy(flat, 'duckdb.jsonl', 'FORMAT json');
for (const codec of ['uncompressed', 'snappy', 'gzip', 'zstd', 'lz4_raw', 'brotli']) {
  await copy('SELECT * FROM t', `duckdb.${codec}.parquet`, `FORMAT parquet, COMPRESSION ${codec}`);
}
await copy('SELECT * FROM t', 'duckdb.v2.parquet', 'FORMAT parquet, PARQUET_VERSION v2, COMPRESSION zstd');
await copy(few, 'duckdb-long.want.csv.gz', "FORMAT csv, NULLSTR '\\N', COMPRESSION gzip");
await copy(few, 'duckdb-long.v1.parquet', 'FORMAT parquet, ROW_GROUP_SIZE 2048, COMPRESSION zstd');
await copy(few, 'duckdb-long.v2.parquet', 'FORMAT parquet, ROW_GROUP_SIZE 2048, PARQUET_VERSION v2, COMPRESSION brotli');

// Types that have no number, and numbers at the ends of their range.
const odd = `SELECT i, (18446744073709551615 - i * 1000000007::HUGEINT)::UBIGINT AS unsigned, (i * 170141183460469231731687::HUGEINT) AS huge,
  CASE i % 4 WHEN 0 THEN 1.7976931348623157e308 WHEN 1 THEN 5e-324 WHEN 2 THEN -0.0 END::DOUBLE AS limits FROM t`;
await copy(odd, 'duckdb-odd.want.csv', "FORMAT csv, NULLSTR '\\N'");
await copy(`SELECT *, ('00000000-0000-0000-0000-' || lpad(i::VARCHAR, 12, '0'))::UUID AS uuid, INTERVAL (i) DAY AS span FROM (${odd})`, 'duckdb-odd.zstd.parquet', 'FORMAT parquet, COMPRESSION zstd');

// polars reads the table and writes it anew, with its own types: views of text, a dictionary of levels.
const frame = polars.readParquet('duckdb.uncompressed.parquet')
  .withColumns(polars.col('level').cast(polars.Categorical).alias('level'))
  .drop('map');
const scalar = frame.drop('list', 'structure');
writeFileSync('polars.want.csv', scalar.writeCSV({ nullValue: '\\N' }));
writeFileSync('polars.csv', scalar.writeCSV());
writeFileSync('polars.jsonl', scalar.writeJSON({ format: 'lines' }));
for (const codec of ['uncompressed', 'snappy', 'gzip', 'zstd', 'lz4', 'brotli']) {
  frame.writeParquet(`polars.${codec}.parquet`, { compression: codec });
}
for (const codec of ['uncompressed', 'lz4', 'zstd']) {
  frame.writeIPC(`polars.${codec}.arrow`, { compression: codec });
  frame.writeIPCStream(`polars.${codec}.arrows`, { compression: codec });
}

const version = (name) => JSON.parse(readFileSync(`node_modules/${name}/package.json`)).version;
const [[duckdb]] = (await db.runAndReadAll('SELECT version()')).getRows();
writeFileSync('versions.txt', `DuckDB ${duckdb} (@duckdb/node-api ${version('@duckdb/node-api')})\nnodejs-polars ${version('nodejs-polars')}\n`);
