// `dist/console.js`
import { readFileSync } from "node:fs";
import { join } from "node:path";
import "./server-folder.mjs";

// Like the `server.js` of Next's own standalone output: without it Next would load the modules of its build to read a
// next.config.mjs. The variable is private to Next, so Next's version is pinned; tests/contract/deployable.test.ts
// checks it.
const manifest = join(import.meta.dirname, ".next", "required-server-files.json");
process.env.__NEXT_PRIVATE_STANDALONE_CONFIG = JSON.stringify(
  JSON.parse(readFileSync(manifest, "utf8")).config,
);
await import("../../server/process/console.ts");
