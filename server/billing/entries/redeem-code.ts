import { createHash, randomInt } from "node:crypto";

/** Crockford's alphabet: no letters that look like digits, and no U. */
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const DIGITS = 20;
const GROUP = 4;

/** A new code, 100 random bits: `3F9A-7K2M-XW40-HQ8Z-1BCD`. */
export function mintCode(): string {
  const digits = Array.from({ length: DIGITS }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join("");
  return (digits.match(new RegExp(`.{${GROUP}}`, "g")) ?? []).join("-");
}

/** Normalises a typed or pasted code; null: it cannot be a code. */
export function readCode(typed: string): string | null {
  const digits = typed.toUpperCase().replace(/[\s-]/g, "").replace(/O/g, "0").replace(/[IL]/g, "1");
  return new RegExp(`^[${ALPHABET}]{${DIGITS}}$`).test(digits) ? digits : null;
}

/** The stored hash of a code, from the result of `readCode`. */
export const hashCode = (digits: string): string => createHash("sha256").update(digits).digest("base64url");
