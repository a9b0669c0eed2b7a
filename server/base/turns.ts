import { setImmediate as nextTurn } from "node:timers/promises";

/** How long work runs before other work has a turn. Its last step may be a long one: to put a text of 50 MB together. */
const TURN_MS = 5;

/** How many items of a long list are worked on without a pause: well below a millisecond, unless one of them is long. */
const ITEMS_PER_STEP = 256;

/** Whether the work on a long list pauses behind this item. */
export const restsBehind = (index: number): boolean => index % ITEMS_PER_STEP === ITEMS_PER_STEP - 1;

/** As `map`, in steps between which other work may have a turn. */
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

/** Runs a generator to its end without pauses, and answers its result. */
export function atOnce<T>(work: Generator<unknown, T>): T {
  for (;;) {
    const step = work.next();
    if (step.done) {
      return step.value;
    }
  }
}

/**
 * Runs a generator to its end and answers its result. Wherever it yields, other work may have a turn. After long work,
 * other work has a turn before the caller goes on.
 */
export async function inTurns<T>(work: Generator<unknown, T>): Promise<T> {
  let since = performance.now();
  let isLong = false;
  for (;;) {
    const step = work.next();
    const isOver = performance.now() - since > TURN_MS;
    isLong ||= isOver;
    if (isOver || (step.done && isLong)) {
      await nextTurn();
      since = performance.now();
    }
    if (step.done) {
      return step.value;
    }
  }
}

/** A step of work that is repeated for as long as there is something to do. */
const LONG_STEP_MS = 1;

/** Lets other work have a turn if the step that began at `since` (`performance.now()`) was a long one; else null. */
export const restIfLong = (since: number): Promise<void> | null =>
  performance.now() - since > LONG_STEP_MS ? nextTurn() : null;

/** Of a long text that goes out in pieces. */
const PIECE_CHARACTERS = 256 * 1024;

/** A long text in large pieces as it is printed in small ones. Between two of them, other work may have a turn. */
export async function* printInTurns(parts: Iterable<string>): AsyncGenerator<string> {
  let text = "";
  let since = performance.now();
  for (const part of parts) {
    text += part;
    const isPiece = text.length >= PIECE_CHARACTERS;
    if (isPiece) {
      yield text;
      text = "";
    }
    if (isPiece || performance.now() - since > TURN_MS) {
      await nextTurn();
      since = performance.now();
    }
  }
  if (text !== "") {
    yield text;
  }
}
