// `npm run test:reference [-- --cases 3000]`: bundles the runner as the server itself is bundled, then becomes it.
import { buildConsole, buildServer, bundle } from "../../scripts/build.mjs";

await buildServer();
await buildConsole();
await bundle({ reference: "tests/reference/run.ts" }, "dist/reference");
await import("../../dist/reference/reference.js");
