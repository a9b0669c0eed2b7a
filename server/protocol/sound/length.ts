/**
 * How much sound a file holds, in seconds: by what a decoder makes of it, and not by what it says of itself, which
 * whoever sends it can write. `most`: those who go by the header, or count in another way, count no more.
 */
export type Length = { seconds: number; most: number };

/** Nobody codes speech in less: what nobody can measure is no longer than this makes it. */
const LEAST_BYTES_A_SECOND = 500;

export const mostOf = (bytes: number): number => bytes / LEAST_BYTES_A_SECOND;
