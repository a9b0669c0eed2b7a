// `npm run test:e2e`: builds stale parts, then runs the flows in a real browser. Flags go to Playwright: `-- --ui`.
import { buildConsole, buildServer } from "./build.mjs";
import { runPlaywright } from "./playwright.mjs";

// A deployment brings its own build.
if (!process.env.E2E_BASE_URL) {
  await buildServer();
  await buildConsole();
}
process.exit(runPlaywright("flows", process.argv.slice(2)));
