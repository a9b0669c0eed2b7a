export const FASTEST_LOOK_MS = 50;
export const SLOWEST_LOOK_MS = 300;

/** A task as its vendor knows it. `looks`: when it answered a poll, in unix milliseconds of the machine. */
export type TaskLooks = { prompt: string; looks: number[] };
