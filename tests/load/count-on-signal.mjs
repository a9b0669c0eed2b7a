// Loaded into each process of a server under test (NODE_OPTIONS). Counts what the process has created since its start,
// by type, and writes it to COUNTS_DIR/<pid>.json at SIGUSR2. With COUNT_SITES=1 the file also has the places in the
// code that create most; that is much slower.
import { createHook } from "node:async_hooks";
import { writeFileSync } from "node:fs";

const { COUNTS_DIR, COUNT_SITES } = process.env;
const counts = {};
const sites = new Map();

/** The first three places of the stack that are neither Node's nor this file. */
function siteOf(type) {
  const { stack = "" } = new Error(type);
  const lines = stack
    .split("\n")
    .slice(1)
    .filter((line) => !line.includes("count-on-signal") && !line.includes("node:internal/async_hooks"));
  return `${type} ${lines
    .slice(0, 3)
    .map((line) => line.trim())
    .join(" < ")}`;
}

createHook({
  init(_id, type) {
    counts[type] = (counts[type] ?? 0) + 1;
    if (COUNT_SITES && type !== "TickObject") {
      const site = siteOf(type);
      sites.set(site, (sites.get(site) ?? 0) + 1);
    }
  },
}).enable();
if (COUNT_SITES) {
  Error.stackTraceLimit = 12;
}

process.on("SIGUSR2", () => {
  const top = [...sites].sort(([, left], [, right]) => right - left).slice(0, 300);
  writeFileSync(`${COUNTS_DIR}/${process.pid}.json`, JSON.stringify({ counts, sites: top }));
});
