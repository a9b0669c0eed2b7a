// `dist/main.js`
import "./server-folder.mjs";

// For the processes that it starts; an operator's own values take precedence. V8's young generation has three spaces of
// this size in megabytes, and keeps them: by default they are 32, for half as many collections.
process.env.NODE_OPTIONS = `--max-semi-space-size=16 ${process.env.NODE_OPTIONS ?? ""}`;
// The C library has up to eight heaps for each core by default, each with its own free pages.
process.env.MALLOC_ARENA_MAX ??= "2";

await import("../../server/process/main.ts");
