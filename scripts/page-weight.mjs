// `npm run page-weight`: measures the JavaScript of each page's first load and writes the table into
// docs/benchmarks.md.
import { buildConsole, buildServer } from "./build.mjs";
import { runPlaywright } from "./playwright.mjs";

await buildServer();
await buildConsole();
process.exit(runPlaywright("page-weight", []));
