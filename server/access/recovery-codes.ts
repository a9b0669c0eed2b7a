import { randomInt } from "node:crypto";
import { hashSecret } from "./api-key";

/** RFC 4648 base32: no 0, 1 or 8 to be taken for a letter. */
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const GROUP = 5;
const COUNT = 10;

const character = () => ALPHABET.charAt(randomInt(ALPHABET.length));

/** Ten codes such as `K7QXD-2MZPA`, of 50 random bits each. */
export function mintRecoveryCodes(): string[] {
  const group = () => Array.from({ length: GROUP }, character).join("");
  return Array.from({ length: COUNT }, () => `${group()}-${group()}`);
}

/** What is stored of a code: a hash under the pepper, and the user's own, so that it says nothing about another's. */
export const hashRecoveryCode = (code: { userId: string; text: string }, pepper: string) =>
  hashSecret(`recovery:${code.userId}:${plainCode(code.text)}`, pepper);

/** A code as we compare it, however it was typed: `k7qxd 2mzpa` is `K7QXD2MZPA`, and `123 456` is `123456`. */
export const plainCode = (typed: string) => typed.replace(/[\s-]/g, "").toUpperCase();
