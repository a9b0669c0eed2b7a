/**
 * How much sound a file holds, in seconds: by what a decoder makes of it, and not by its header, in which a client
 * can write anything. `most`: a count by the header, or in any other way, is no larger.
 */
export type Length = { seconds: number; most: number };

/** Nobody codes speech in less: what nobody can measure is no longer than this makes it. */
const LEAST_BYTES_A_SECOND = 500;

export const mostOf = (bytes: number): number => bytes / LEAST_BYTES_A_SECOND;
