import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");

/** Collects what nothing holds any more; V8 does so when it likes. */
export const collectGarbage = runInNewContext("gc") as () => void;

/** Likewise, with what only a WeakRef has led to: a turn of the event loop holds that until its end. */
export async function collectUnheld(): Promise<void> {
  await new Promise(setImmediate);
  collectGarbage();
}
