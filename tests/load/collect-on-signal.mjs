// Loaded into each process of a server under test (NODE_OPTIONS): SIGUSR2 collects garbage, so that resident memory is
// what the server keeps and not what it has not cleared away yet. Twice: what the first frees, the second gives back.
process.on("SIGUSR2", () => {
  globalThis.gc?.();
  setImmediate(() => globalThis.gc?.());
});
