// Runs the command polydag, one line at a time, over files that are in memory or on the visitor's disk. The file system is what
// package os of Go asks for under js/wasm: functions named as those of Node, each with a callback.
"use strict";

const EBADF = "EBADF", ENOENT = "ENOENT", EEXIST = "EEXIST", EISDIR = "EISDIR", EROFS = "EROFS";
const O = { O_WRONLY: 1, O_RDWR: 2, O_CREAT: 64, O_EXCL: 128, O_TRUNC: 512, O_APPEND: 1024, O_DIRECTORY: 65536 };
const BLOCK = 4 << 20; // bytes that are read from a visitor's file at a time

let files; // path: Memory or Disk
let open;  // number: {file, path, at}
let printed; // text of standard output and standard error
let progress; // path whose content is told as it changes

const fault = code => Object.assign(new Error(code), { code });

// Memory is a file that the program wrote. Its room doubles.
class Memory {
  constructor(bytes = new Uint8Array(0)) { this.bytes = bytes; this.size = bytes.length; }
  read(to, at) {
    const part = this.bytes.subarray(Math.min(at, this.size), Math.min(at + to.length, this.size));
    to.set(part);
    return part.length;
  }
  write(from, at) {
    const end = at + from.length;
    if (end > this.bytes.length) {
      const more = new Uint8Array(Math.max(end, 2 * this.bytes.length, 4096));
      more.set(this.bytes.subarray(0, this.size));
      this.bytes = more;
    }
    this.bytes.set(from, at);
    this.size = Math.max(this.size, end);
  }
  cut(size) {
    if (size > this.size) this.write(new Uint8Array(size - this.size), this.size);
    this.size = size;
  }
  content() { return this.bytes.slice(0, this.size); }
}

// Disk is a file of the visitor's, read a block at a time: a table may be longer than the memory of a tab.
class Disk {
  constructor(file) { this.file = file; this.size = file.size; this.first = -1; this.block = new Uint8Array(0); }
  read(to, at) {
    let done = 0;
    while (done < to.length && at + done < this.size) {
      const first = Math.floor((at + done) / BLOCK) * BLOCK;
      if (first !== this.first) {
        this.block = new Uint8Array(new FileReaderSync().readAsArrayBuffer(this.file.slice(first, first + BLOCK)));
        this.first = first;
      }
      const part = this.block.subarray(at + done - first, at + to.length - first);
      if (part.length === 0) throw fault("EIO"); // the file became shorter
      to.set(part, done);
      done += part.length;
    }
    return done;
  }
  write() { throw fault(EROFS); }
  cut() { throw fault(EROFS); }
}

// There is one folder besides the one for temporary files; its names have no path.
const HOME = "/home";
const FOLDERS = new Set(["/", "/tmp", ".", HOME]);
const tidy = path => path.startsWith("./") ? path.slice(2) : path.startsWith(HOME + "/") ? path.slice(HOME.length + 1) : path;

function stat(path) {
  const folder = FOLDERS.has(path);
  const file = files.get(path);
  if (!folder && !file) throw fault(ENOENT);
  const size = folder ? 0 : file.size;
  return {
    dev: 1, ino: 0, mode: folder ? 0o40755 : 0o100644, nlink: 1, uid: 0, gid: 0, rdev: 0, size, blksize: 4096, blocks: Math.ceil(size / 512),
    atimeMs: 0, mtimeMs: 0, ctimeMs: 0, isDirectory: () => folder,
  };
}

function at(number) {
  const f = open.get(number);
  if (!f) throw fault(EBADF);
  return f;
}

const calls = {
  open(path, flags) {
    path = tidy(path);
    const folder = FOLDERS.has(path);
    if (folder && flags & (O.O_WRONLY | O.O_RDWR)) throw fault(EISDIR);
    if (!folder && flags & O.O_DIRECTORY) throw fault("ENOTDIR");
    if (flags & O.O_CREAT && flags & O.O_EXCL && files.has(path)) throw fault(EEXIST);
    if (!folder && !files.has(path)) {
      if (!(flags & O.O_CREAT)) throw fault(ENOENT);
      files.set(path, new Memory());
    }
    if (flags & O.O_TRUNC) files.get(path).cut(0);
    let number = 3;
    while (open.has(number)) number++;
    open.set(number, { file: folder ? null : files.get(path), path, at: flags & O.O_APPEND ? files.get(path).size : 0 });
    return number;
  },
  close(number) { at(number); open.delete(number); },
  read(number, buffer, offset, length, position) {
    if (number === 0) return 0; // nobody types
    const f = at(number);
    if (!f.file) throw fault(EISDIR);
    const n = f.file.read(buffer.subarray(offset, offset + length), position ?? f.at);
    if (position === null) f.at += n;
    return n;
  },
  write(number, buffer, offset, length, position) {
    const bytes = buffer.subarray(offset, offset + length);
    if (number === 1 || number === 2) {
      printed[number] += printed.decoder[number].decode(bytes, { stream: true });
      return length;
    }
    const f = at(number);
    f.file.write(bytes, position ?? f.at);
    if (position === null) f.at += length;
    return length;
  },
  fstat(number) { return number < 3 ? { ...stat("/"), mode: 0o20620, isDirectory: () => false } : at(number).file ? stat(at(number).path) : stat("/"); },
  stat(path) { return stat(tidy(path)); },
  lstat(path) { return stat(tidy(path)); },
  readdir(path) { return FOLDERS.has(tidy(path)) ? [...files.keys()].filter(k => !k.includes("/")) : []; },
  rename(from, to) {
    [from, to] = [tidy(from), tidy(to)];
    if (!files.has(from)) throw fault(ENOENT);
    files.set(to, files.get(from));
    files.delete(from);
    for (const f of open.values()) if (f.path === from) f.path = to;
  },
  unlink(path) { if (!files.delete(tidy(path))) throw fault(ENOENT); },
  ftruncate(number, size) { at(number).file.cut(size); },
  truncate(path, size) { if (!files.has(tidy(path))) throw fault(ENOENT); files.get(tidy(path)).cut(size); },
  fsync() {}, chmod() {}, fchmod() {}, utimes() {}, mkdir() {},
};

globalThis.fs = { constants: O };
for (const name of ["chown", "fchown", "lchown", "link", "readlink", "rmdir", "symlink"]) calls[name] = () => { throw fault("ENOSYS"); };
for (const [name, call] of Object.entries(calls)) {
  fs[name] = (...args) => {
    const answer = args.pop();
    let value;
    try {
      value = call(...args);
    } catch (e) {
      if (!e.code) e.code = "EIO";
      return answer(e);
    }
    // The file of the progress is written about once a second. The answer to that comes later, so that a message, such as the one
    // that ends the run, is heard meanwhile: a program that computes hears none.
    if (name === "rename" && tidy(args[1]) === progress) {
      postMessage({ progress: JSON.parse(new TextDecoder().decode(files.get(progress).content())) });
      return void setTimeout(answer, 0, null, value);
    }
    return answer(null, value);
  };
}
globalThis.process = { getuid: () => -1, getgid: () => -1, geteuid: () => -1, getegid: () => -1, getgroups: () => { throw fault("ENOSYS"); }, pid: 1, ppid: 0, umask: () => 0o22, cwd: () => HOME, chdir: () => { throw fault("ENOSYS"); } };
globalThis.path = { resolve: (...parts) => parts.join("/") };

// load makes the program from its compressed text.
async function load(text) {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  const unpacked = new Response(bytes).body.pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compile(await new Response(unpacked).arrayBuffer());
}

// run runs one command line over files and answers with what it printed and the files that it wrote.
async function run(module, { args, tables, watch }) {
  files = new Map(Object.entries(tables).map(([path, file]) => [path, file instanceof Blob ? new Disk(file) : new Memory(file)]));
  open = new Map();
  printed = { 1: "", 2: "", decoder: { 1: new TextDecoder(), 2: new TextDecoder() } };
  progress = watch;
  const go = new Go();
  go.argv = ["polydag", ...args];
  // With one thread, collecting garbage takes its time from the search: rarely, but in time before memory ends.
  go.env = { GOGC: "400", GOMEMLIMIT: "3500MiB", TMPDIR: "/tmp" };
  let code = 1;
  go.exit = c => { code = c; };
  await go.run(await WebAssembly.instantiate(module, go.importObject));
  const wrote = {};
  for (const [path, file] of files) if (file instanceof Memory && !(path in tables)) wrote[path] = file.content();
  files = open = undefined;
  return { code, out: printed[1], err: printed[2], wrote };
}

let module;
onmessage = async ({ data }) => {
  if (data.stop) return globalThis.polydagInterrupt?.();
  try {
    if (data.text) {
      module = await load(data.text);
      return postMessage({ module });
    }
    module = data.module ?? module;
    if (data.args) postMessage({ done: await run(module, data) });
  } catch (e) {
    postMessage({ broken: String(e?.message ?? e) });
  }
};
