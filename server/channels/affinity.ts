/**
 * Where what belongs together goes: by rendezvous hashing, so that nothing has to be remembered, every process comes to
 * the same, and when one way goes only what went there moves. Pure.
 */
import { hash } from "node:crypto";

/** A number of 32 bits for a text. */
export const seedOf = (text: string): number => hash("sha256", text, "buffer").readUInt32BE(0);

/** The last step of MurmurHash3: whatever differs in one bit comes out as far apart as any two. */
function mix(bits: number): number {
  let mixed = bits ^ (bits >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** In [0, 1), as a random number, and the same for the same two seeds each time. */
export const drawOf = (key: number, seed: number): number => mix(mix(key) + seed) / 2 ** 32;
