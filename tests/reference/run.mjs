// `npm run test:reference [-- --cases 3000]`: bundles the runner as the server is bundled, then runs it in this
// process.
import { buildConsole, buildServer, bundle } from "../../scripts/build.mjs";

await buildServer();
await buildConsole();
await bundle({ reference: "tests/reference/run.ts" }, "dist/reference");
await import("../../dist/reference/reference.js");
