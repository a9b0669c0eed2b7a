import { randomInt } from "node:crypto";
import { hashSecret } from "../keys/api-key";

/** RFC 4648 base32: without 0, 1 and 8, which look like letters. */
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const GROUP = 5;
const COUNT = 10;

const character = () => ALPHABET.charAt(randomInt(ALPHABET.length));

/** Returns ten codes such as `K7QXD-2MZPA`, of 50 random bits each. */
export function mintRecoveryCodes(): string[] {
  const group = () => Array.from({ length: GROUP }, character).join("");
  return Array.from({ length: COUNT }, () => `${group()}-${group()}`);
}

/**
 * The stored hash of a code, with the pepper and the user's id, so that equal codes of two users have different hashes.
 */
export const hashRecoveryCode = (code: { userId: string; text: string }, pepper: string) =>
  hashSecret(`recovery:${code.userId}:${plainCode(code.text)}`, pepper);

/** Normalises a typed code for comparison: `k7qxd 2mzpa` is `K7QXD2MZPA`, and `123 456` is `123456`. */
export const plainCode = (typed: string) => typed.replace(/[\s-]/g, "").toUpperCase();
