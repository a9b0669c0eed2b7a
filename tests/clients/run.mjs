// `npm run test:clients [-- program ...]`: bundles the runner as the server itself is bundled, then becomes it.
import { buildServer, bundle } from "../../scripts/build.mjs";

await buildServer();
await bundle({ clients: "tests/clients/run.ts" }, "dist/clients");
await import("../../dist/clients/clients.js");
