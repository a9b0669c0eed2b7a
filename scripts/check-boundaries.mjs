// Checks the house's edges, and that the checker sees them: a deliberate violation must be found.
import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";

const cruise = () =>
  spawnSync(
    process.execPath,
    ["node_modules/dependency-cruiser/bin/dependency-cruiser.mjs", "app", "server"],
    {
      encoding: "utf8",
    },
  );

const clean = cruise();
process.stdout.write(clean.stdout);
process.stderr.write(clean.stderr);
if (clean.status !== 0) {
  process.exit(clean.status ?? 1);
}

const violation = "server/protocol/deliberate-violation.ts";
writeFileSync(
  violation,
  'export { createBilling } from "@/server/billing/billing";\nexport { ormOf } from "@/server/db/handles";\n',
);
try {
  const broken = cruise();
  const expected = ["protocol-layer", "rooms-through-their-index", "only-rooms-open-the-database"].filter(
    (rule) => !broken.stdout.includes(rule),
  );
  if (broken.status === 0 || expected.length > 0) {
    process.stdout.write(broken.stdout);
    console.error(`the deliberate violation was not seen: ${expected.join(", ")}`);
    process.exit(1);
  }
  console.log("the deliberate violation was seen");
} finally {
  rmSync(violation);
}
