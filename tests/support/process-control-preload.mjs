// Loaded into each process of a server under test (NODE_OPTIONS). A file tells it how far to move the clock, and when
// to report its memory: the live bytes after a full garbage collection, in a file for each process.
import { readFileSync, writeFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

const LOOK_EVERY_MS = 50;
const file = process.env.PROCESS_CONTROL_FILE;

let aheadMs = 0;
const RightDate = Date;
class WrongDate extends RightDate {
  constructor(...args) {
    if (args.length === 0) {
      super(RightDate.now() + aheadMs);
    } else {
      super(...args);
    }
  }
  static now() {
    return RightDate.now() + aheadMs;
  }
}
Object.defineProperty(WrongDate, "name", { value: "Date" });
globalThis.Date = WrongDate;

async function say(serial) {
  // Twice: the second collection returns what the first one freed.
  globalThis.gc();
  await new Promise(setImmediate);
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  writeFileSync(`${file}.${process.pid}`, JSON.stringify({ serial, alive: heapUsed + external }));
}

let last = 0;
function look() {
  try {
    const told = JSON.parse(readFileSync(file, "utf8"));
    aheadMs = told.aheadMs;
    if (told.serial !== last && isMainThread) {
      last = told.serial;
      void say(last);
    }
  } catch {
    // The file is being written.
  }
}
setInterval(look, LOOK_EVERY_MS).unref();
