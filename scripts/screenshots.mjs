// `npm run screenshots`: every screen of a server with believable data, in both themes, into docs/screenshots.
import { buildConsole, buildServer } from "./build.mjs";
import { runPlaywright } from "./playwright.mjs";

await buildServer();
await buildConsole();
// The video that is being made shall still be so in the pictures.
process.exit(runPlaywright("screenshots", process.argv.slice(2), { E2E_VIDEO_TIMEOUT_SECONDS: "600" }));
