// Checks the allowed imports between folders, and that the checker works: it must find a deliberate violation of each
// rule in a temporary folder.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

const CRUISER = resolve("node_modules/dependency-cruiser/bin/dependency-cruiser.mjs");
const CONFIGURATION = ".dependency-cruiser.cjs";

const cruise = (cwd, folders) =>
  spawnSync(process.execPath, [CRUISER, ...folders], { cwd, encoding: "utf8" });

const violation = {
  "server/protocol/deliberate-violation.ts":
    'export { createBilling } from "@/server/billing/billing";\nexport { ormOf } from "@/server/db/handles";\n',
  "server/billing/billing.ts": "export const createBilling = null;\n",
  "server/db/handles.ts": "export const ormOf = null;\n",
};
const EXPECTED = ["protocol-layer", "rooms-through-their-index", "only-rooms-open-the-database"];

/** The rules whose violation the checker does not find. */
function findBlindRules() {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-boundaries-"));
  try {
    for (const name of [CONFIGURATION, "tsconfig.json", "package.json"]) {
      cpSync(name, join(folder, name));
    }
    symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
    for (const [path, text] of Object.entries(violation)) {
      mkdirSync(join(folder, dirname(path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const { status, stdout, stderr } = cruise(folder, ["server"]);
    const blind = EXPECTED.filter((rule) => !stdout.includes(rule));
    if (status === 0 || blind.length > 0) {
      process.stdout.write(stdout + stderr);
    }
    return status === 0 ? EXPECTED : blind;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const blind = findBlindRules();
if (blind.length > 0) {
  console.error(`the deliberate violation was not seen: ${blind.join(", ")}`);
  process.exit(1);
}
console.log("the deliberate violation was seen");
const { status, stdout, stderr } = cruise(".", ["app", "server"]);
process.stdout.write(stdout);
process.stderr.write(stderr);
process.exitCode = status ?? 1;
