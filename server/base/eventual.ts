/**
 * A value that may be here already. Most steps of a call wait for nothing, and a promise for each of them costs as much
 * as the step.
 */
export type Eventual<T> = T | Promise<T>;

/** Continues with the value: at once if it is here. */
export const whenHere = <T, U>(value: Eventual<T>, next: (value: T) => Eventual<U>): Eventual<U> =>
  value instanceof Promise ? value.then(next) : next(value);
