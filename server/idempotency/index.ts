/**
 * Idempotency: kept answers of calls with an Idempotency-Key, for their repeats. Hides how one of several concurrent
 * calls is chosen over all processes, how long its process is considered alive, and how answers are encrypted. Promises
 * that of calls with the same key one runs at a time, and that a kept answer is returned unchanged.
 */
export type { KeptAnswer } from "./answer";
export { createIdempotentCalls, type IdempotentCalls } from "./calls";
export type { Claim } from "./claims";
export { eraseAnswers } from "./erase";
