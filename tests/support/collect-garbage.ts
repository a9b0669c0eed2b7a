import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");

/** Collects objects that nothing holds any more. V8 by itself does so at times that nobody can predict. */
export const collectGarbage = runInNewContext("gc") as () => void;

/** Also collects objects that a WeakRef has led to in this turn of the event loop, which holds them until its end. */
export async function collectUnheld(): Promise<void> {
  await new Promise(setImmediate);
  collectGarbage();
}
