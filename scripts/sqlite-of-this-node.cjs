/** Preloaded by tests on another Node: loads the SQLite module that was compiled for it, wherever it is asked for. */
const { dlopen } = process;
process.dlopen = (module, file, ...flags) => {
  const native = file.endsWith('better_sqlite3.node') ? process.env.TROUPE_TEST_SQLITE : file;
  return dlopen.call(process, module, native, ...flags);
};
