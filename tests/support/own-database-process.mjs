// A separate PostgreSQL in a folder, which runs as long as a process holds our stdin; prints its address. The lines
// `fill` and `free` on stdin take all free space of the folder's file system, and give it back.
import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import "./project-modules.mjs";

const { startEmbeddedPostgres } = await import("@/server/db/embedded");

const [folder] = process.argv.slice(2);
const filler = join(folder, "filler");

function fill() {
  const file = openSync(filler, "a");
  for (let size = 1024 * 1024; size >= 512; ) {
    try {
      writeSync(file, Buffer.alloc(size));
    } catch {
      size /= 2;
    }
  }
  closeSync(file);
}

const database = await startEmbeddedPostgres(folder, () => {});
console.log(database.url);
for await (const line of createInterface({ input: process.stdin })) {
  if (line === "fill") {
    fill();
  } else {
    rmSync(filler, { force: true });
  }
  console.log(line);
}
await database.stop();
process.exit(0);
