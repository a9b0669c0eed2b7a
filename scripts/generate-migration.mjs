// `npm run db:generate -- --name some_change`: drizzle-kit, which takes the flags, writes a migration from
// server/db/schema. It compares the schema with the last snapshot only, so the snapshot of a new migration replaces
// the previous one.
import { spawnSync } from "node:child_process";
import { globSync, rmSync } from "node:fs";

const { status } = spawnSync(
  process.execPath,
  ["node_modules/drizzle-kit/bin.cjs", "generate", ...process.argv.slice(2)],
  { stdio: "inherit" },
);
if (status !== 0) {
  process.exit(status ?? 1);
}
for (const path of globSync("drizzle/meta/*_snapshot.json").sort().slice(0, -1)) {
  rmSync(path);
}
