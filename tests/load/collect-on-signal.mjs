// Loaded into each process of a server under test (NODE_OPTIONS). SIGUSR2 collects garbage, so that resident memory is
// only what the server keeps. Twice: the second collection returns what the first one freed.
process.on("SIGUSR2", () => {
  globalThis.gc?.();
  setImmediate(() => globalThis.gc?.());
});
