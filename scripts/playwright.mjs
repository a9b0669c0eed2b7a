import { spawnSync } from "node:child_process";

/** Runs one project of playwright.config.ts; returns the exit code. */
export function runPlaywright(project, flags, env = {}) {
  const { status } = spawnSync(
    process.execPath,
    ["node_modules/@playwright/test/cli.js", "test", `--project=${project}`, ...flags],
    { stdio: "inherit", env: { ...process.env, ...env } },
  );
  return status ?? 1;
}
