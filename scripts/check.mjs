// `npm run check`: all checks that need no database, in parallel; `--static` leaves the unit tests out. Each check's
// output is printed as a whole when it ends.
import { spawn } from "node:child_process";

const bin = (path) => [process.execPath, `node_modules/${path}`];
const checks = {
  // TypeScript 7 has no API for JavaScript, so packages that ask for `typescript` get 6.
  types: [...bin("typescript-7/bin/tsc"), "--noEmit"],
  format: [...bin("@biomejs/biome/bin/biome"), "ci", "."],
  boundaries: [process.execPath, "scripts/check-boundaries.mjs"],
  "dead code": bin("knip/bin/knip.js"),
  "plain words": [process.execPath, "scripts/plain-words.mjs"],
  ...(!process.argv.includes("--static") && {
    // They are bound by the processor, and each worker has to import the modules under test.
    "unit tests": [...bin("vitest/vitest.mjs"), "run", "--project", "unit", "--maxWorkers", "2"],
  }),
};

/** Runs a command to its end; returns whether it succeeded. */
async function run(name, [program, ...words]) {
  const startedAt = Date.now();
  const child = spawn(program, words, { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => {
      output += text;
    });
  }
  const code = await new Promise((resolve) => {
    child.once("close", resolve);
  });
  const seconds = Math.round((Date.now() - startedAt) / 1000);
  console.log(`${output.trimEnd()}\n${code === 0 ? "passed" : "FAILED"}: ${name}, ${seconds} s\n`);
  return code === 0;
}

const went = await Promise.all(Object.entries(checks).map(([name, command]) => run(name, command)));
process.exitCode = went.every(Boolean) ? 0 : 1;
