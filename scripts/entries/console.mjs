// `dist/console.js`
import { readFileSync } from "node:fs";
import { join } from "node:path";
import "./server-folder.mjs";

// As the `server.js` of Next's own standalone output does it: without it Next would load what only its build needs, to
// read a next.config.mjs. Private to Next, whose version is therefore exact; tests/contract/deployable.test.ts holds it.
const manifest = join(import.meta.dirname, ".next", "required-server-files.json");
process.env.__NEXT_PRIVATE_STANDALONE_CONFIG = JSON.stringify(
  JSON.parse(readFileSync(manifest, "utf8")).config,
);
await import("../../server/process/console.ts");
