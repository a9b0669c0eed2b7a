import { setImmediate as nextTurn } from "node:timers/promises";
import type { Eventual } from "./eventual";

/**
 * How long work runs before other work gets a turn. A turn also has the step that passes this time, and no turn should
 * take more than 5 ms. Some last steps take longer: joining a text of 50 MB.
 */
const TURN_MS = 2;

/** Items of a long list that are processed without a pause: well below a millisecond, unless one of them is long. */
const ITEMS_PER_STEP = 256;

/** Whether the work on a long list pauses after this item. */
export const restsBehind = (index: number, perStep = ITEMS_PER_STEP): boolean =>
  index % perStep === perStep - 1;

/** Like `map`, in steps between which other work may run. */
export function* mapInSteps<T, U>(
  items: readonly T[],
  make: (item: T, index: number) => U,
  perStep = ITEMS_PER_STEP,
): Generator<void, U[]> {
  const made: U[] = [];
  for (const [index, item] of items.entries()) {
    made.push(make(item, index));
    if (restsBehind(index, perStep)) {
      yield;
    }
  }
  return made;
}

/**
 * Continues with the result of work in steps. This and `continueWith` stand in for a `function*` that a call makes for
 * itself: V8 makes a hidden class for each generator function that runs, in old memory from its beginning. Until the
 * next full collection, that class keeps what the function can see: the call's whole request (decision 92).
 */
export function* mapResult<T, U>(work: Generator<void, T>, make: (result: T) => U): Generator<void, U> {
  return make(yield* work);
}

/** As `mapResult`, with more work in steps. */
export function* continueWith<T, U>(
  work: Generator<void, T>,
  next: (result: T) => Generator<void, U>,
): Generator<void, U> {
  return yield* next(yield* work);
}

/** Runs a generator to its end without pauses, and returns its result. */
export function atOnce<T>(work: Generator<unknown, T>): T {
  for (;;) {
    const step = work.next();
    if (step.done) {
      return step.value;
    }
  }
}

/**
 * Runs a generator to its end and returns its result. Other work may run at each yield. After long work, other work
 * runs before the caller continues. `turnMs`: how long it runs before that.
 */
export async function inTurns<T>(work: Generator<unknown, T>, turnMs = TURN_MS): Promise<T> {
  let since = performance.now();
  let isLong = false;
  for (;;) {
    const step = work.next();
    const isOver = performance.now() - since > turnMs;
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

/** Runs a generator to its end without pauses while that is quick. Slow work continues in turns, as in `inTurns`. */
export function atOnceIfQuick<T>(work: Generator<unknown, T>): Eventual<T> {
  const since = performance.now();
  for (;;) {
    const step = work.next();
    const isOver = performance.now() - since > TURN_MS;
    if (step.done) {
      return isOver ? nextTurn(step.value) : step.value;
    }
    if (isOver) {
      return nextTurn().then(() => inTurns(work));
    }
  }
}

/** Returns the items of a list one by one. After long work on an item, other work has a turn before the next one. */
export async function* itemsInTurns<T>(items: Iterable<T>): AsyncGenerator<T> {
  let since = performance.now();
  for (const item of items) {
    yield item;
    if (performance.now() - since > TURN_MS) {
      await nextTurn();
      since = performance.now();
    }
  }
}

/** A longer step of repeated work counts as long. */
const LONG_STEP_MS = 1;

/**
 * Returns a promise that lets other work run if the step that began at `since` (`performance.now()`) was long;
 * otherwise null.
 */
export const restIfLong = (since: number): Promise<void> | null =>
  performance.now() - since > LONG_STEP_MS ? nextTurn() : null;

/** The size of the pieces of a long text. */
const PIECE_CHARACTERS = 256 * 1024;

/** Joins small parts of a long text into large pieces. Other work may run between two of them. */
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
