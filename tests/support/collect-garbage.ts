import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");

/** Collects unreachable objects. V8 itself does so at unpredictable times. */
export const collectGarbage = runInNewContext("gc") as () => void;

/** Also collects objects that a WeakRef returned in this turn of the event loop, which keeps them until its end. */
export async function collectUnheld(): Promise<void> {
  await new Promise(setImmediate);
  collectGarbage();
}
