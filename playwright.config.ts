import { defineConfig, type ReporterDescription } from "@playwright/test";
import { browserOptions } from "./tests/support/browser";

const report = process.env.PLAYWRIGHT_JSON_OUTPUT_FILE;
const reporters: ReporterDescription[] = [["list"]];

export default defineConfig({
  testDir: "tests/e2e",
  projects: [
    { name: "flows", testMatch: "**/*.test.ts" },
    // Not tests: `npm run screenshots`, `page-weight` and `page-speed` run them for the files that they write.
    { name: "screenshots", testMatch: "**/*.shots.ts", timeout: 600_000, workers: 1 },
    { name: "page-weight", testMatch: "**/*.table.ts", timeout: 300_000 },
    { name: "page-speed", testMatch: "**/*.speed.ts", timeout: 7_200_000, workers: 1 },
  ],
  globalSetup: "./tests/e2e/global-setup.ts",
  outputDir: "test-results",
  reporter: report ? [...reporters, ["json", { outputFile: report }]] : reporters,
  fullyParallel: true,
  // Browsers, server and database share two cores. A flow that fails now and then is a defect, not bad luck.
  workers: 2,
  retries: 0,
  forbidOnly: true,
  // The timeouts end hanging tests. A slow page on a busy machine is no defect: other tests measure speed in
  // processor time.
  timeout: 180_000,
  expect: { timeout: 60_000 },
  use: {
    // Read in each worker; `globalSetup` has set it.
    ...(process.env.E2E_BASE_URL && { baseURL: process.env.E2E_BASE_URL }),
    launchOptions: browserOptions(),
    locale: "en-US",
    viewport: { width: 1280, height: 860 },
    // A trace takes a third of a run's time: `npm run test:e2e -- --trace retain-on-failure` writes one.
    trace: "off",
    screenshot: "only-on-failure",
  },
});
