/**
 * Seconds of audio in a file: by the frames that a decoder plays, not by the header, in which a client can write
 * anything. `maxSeconds`: an upper bound of every other count, by the header or otherwise.
 */
export type Length = { seconds: number; maxSeconds: number };

/** No codec uses less for speech: the bound for files that cannot be measured. */
const LEAST_BYTES_A_SECOND = 500;

export const mostOf = (bytes: number): number => bytes / LEAST_BYTES_A_SECOND;
