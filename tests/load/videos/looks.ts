export const FASTEST_LOOK_MS = 50;
export const SLOWEST_LOOK_MS = 300;

/** A task as its vendor has it. `looks`: the moments of its answers to polls, in unix milliseconds of the machine. */
export type TaskLooks = { prompt: string; looks: number[] };
