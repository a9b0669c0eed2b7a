// `npm run screenshots`: every screen of a server with realistic data, in both themes, into docs/screenshots.
import { buildConsole, buildServer } from "./build.mjs";
import { runPlaywright } from "./playwright.mjs";

await buildServer();
await buildConsole();
// The video in progress must still be in progress in the screenshots.
process.exit(runPlaywright("screenshots", process.argv.slice(2), { E2E_VIDEO_TIMEOUT_SECONDS: "600" }));
