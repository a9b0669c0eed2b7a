// Appends charges to a journal in a process that may write no byte to any file (`ulimit -f 0`). Prints how many were
// written, and how many files and descriptors they left behind.
import { readdirSync } from "node:fs";
import "./project-modules.mjs";

const { createLog } = await import("@/server/base/log");
const { createJournal } = await import("@/server/billing/journal/journal");
const { deliveredCharge } = await import("@/tests/support/delivered-charge");

const [directory, calls] = process.argv.slice(2);
const journal = createJournal({ directory, log: createLog("silent") });
const descriptors = () => readdirSync("/proc/self/fd").length;
const before = descriptors();
let written = 0;
for (let call = 0; call < Number(calls); call++) {
  await journal.append(deliveredCharge(`req_${call}`)).then(
    () => written++,
    () => {},
  );
}
console.log(
  JSON.stringify({ written, files: readdirSync(directory).length, descriptors: descriptors() - before }),
);
