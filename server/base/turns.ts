import { setImmediate as nextTurn } from "node:timers/promises";

/** Long work goes on for so long before others have their turn. */
const TURN_MS = 10;

/** Items of a long list that are worked on without a rest: well below a millisecond, where none of them is long. */
const ITEMS_PER_STEP = 256;

/** Whether the work on a long list may rest behind this item. */
export const restsBehind = (index: number): boolean => index % ITEMS_PER_STEP === ITEMS_PER_STEP - 1;

/** As `map`, in steps between which the work may rest. */
export function* mapInSteps<T, U>(
  items: readonly T[],
  make: (item: T, index: number) => U,
): Generator<void, U[]> {
  const made: U[] = [];
  for (const [index, item] of items.entries()) {
    made.push(make(item, index));
    if (restsBehind(index)) {
      yield;
    }
  }
  return made;
}

/** The result of work that is short: without a rest. */
export function atOnce<T>(work: Generator<unknown, T>): T {
  for (;;) {
    const step = work.next();
    if (step.done) {
      return step.value;
    }
  }
}

/** The result of work that may rest wherever it yields. */
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
