// `npm run test:clients [-- program ...]`: bundles the runner as the server is bundled, then runs it in this process.
import { buildServer, bundle } from "../../scripts/build.mjs";

await buildServer();
await bundle({ clients: "tests/clients/run.ts" }, "dist/clients");
await import("../../dist/clients/clients.js");
