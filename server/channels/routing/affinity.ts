/**
 * Rendezvous hashing: sends related calls to the same channel and credential. Nothing has to be stored, every process
 * computes the same order, and when a route disappears, only its own calls move. Pure.
 */
import { hash } from "node:crypto";

/** A 32-bit number derived from a text. */
export const seedOf = (text: string): number => hash("sha256", text, "buffer").readUInt32BE(0);

/** The last step of MurmurHash3: inputs that differ in one bit give results as far apart as any two. */
function mix(bits: number): number {
  let mixed = bits ^ (bits >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** A number in [0, 1) like a random one, but always the same for the same two seeds. */
export const drawOf = (key: number, seed: number): number => mix(mix(key) + seed) / 2 ** 32;
