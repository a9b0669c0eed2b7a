/**
 * A value that may be here already. Most steps of a call wait for nothing, and a promise for each of them costs as much
 * as the step.
 */
export type Eventual<T> = T | Promise<T>;

/** Continues with the value: at once if it is here. */
export const whenHere = <T, U>(value: Eventual<T>, next: (value: T) => Eventual<U>): Eventual<U> =>
  value instanceof Promise ? value.then(next) : next(value);

/**
 * Runs a step, and continues with its value or its error: at once if the step waits for nothing. An error of `next` is
 * not passed to `failed`.
 */
export function whenOver<T, U>(
  step: () => Eventual<T>,
  next: (value: T) => Eventual<U>,
  failed: (error: unknown) => Eventual<U>,
): Eventual<U> {
  let value: Eventual<T>;
  try {
    value = step();
  } catch (error) {
    return failed(error);
  }
  return value instanceof Promise ? value.then(next, failed) : next(value);
}
