/**
 * Idempotency: what calls with an Idempotency-Key were answered, for those that repeat them. Hides how one of several
 * at once is chosen over all processes, how long it is believed to be alive, and how answers are encrypted.
 * Promises that of calls with the same key one runs at a time, and that a kept answer is given again as it was.
 */
export type { KeptAnswer } from "./answer";
export { createIdempotentCalls, type IdempotentCalls } from "./calls";
export type { Claim } from "./claims";
export { eraseAnswers } from "./erase";
