import { setImmediate as nextTurn } from "node:timers/promises";

/** Long work goes on for so long before others have their turn. */
const TURN_MS = 10;

/** What work comes to that may rest wherever it yields. */
export async function inTurns<T>(work: Generator<unknown, T>): Promise<T> {
  let since = performance.now();
  for (let step = work.next(); ; step = work.next()) {
    if (step.done) {
      return step.value;
    }
    if (performance.now() - since > TURN_MS) {
      await nextTurn();
      since = performance.now();
    }
  }
}
