import { createHmac, randomBytes } from "node:crypto";
import type { HeaderReader } from "@/server/base/client-request";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const LENGTH = 43;
const DIGITS = `[0-9A-Za-z]{${LENGTH}}`;
const SHAPE = new RegExp(`^sk-${DIGITS}$`);
const MANAGEMENT_SHAPE = new RegExp(`^mk-${DIGITS}$`);

/** 32 random bytes in base62. */
function mint(prefix: string): string {
  let value = BigInt(`0x${randomBytes(32).toString("hex")}`);
  let digits = "";
  for (let place = 0; place < LENGTH; place++) {
    digits = ALPHABET.charAt(Number(value % 62n)) + digits;
    value /= 62n;
  }
  return `${prefix}-${digits}`;
}

/** A new secret of a client key: `sk-` and 43 characters. */
export const mintSecret = () => mint("sk");

/** A new secret of a management key: `mk-` and 43 characters. */
export const mintManagementSecret = () => mint("mk");

/** Whether a text has the form of our secrets. Other texts are refused without a query. */
export const looksLikeSecret = (text: string) => SHAPE.test(text);

/** The same for management keys. */
export const looksLikeManagementSecret = (text: string) => MANAGEMENT_SHAPE.test(text);

const ANYWHERE = new RegExp(`(?<=[sm]k-)${DIGITS}`, "g");

/** Removes everything that looks like one of our secrets, for the log: for example from a malformed address. */
export const withoutOurSecrets = (text: string) => text.replace(ANYWHERE, "***");

/** The stored hash of a secret. A fast keyed hash is sufficient for 256 random bits. */
export function hashSecret(secret: string, pepper: string): string {
  return createHmac("sha256", pepper).update(secret).digest("base64url");
}

/** The pepper of new hashes, and the previous one, which older hashes use. */
export type Peppers = { pepper: string; previousPepper?: string | undefined };

export const peppersOf = ({ pepper, previousPepper }: Peppers): [string, ...string[]] =>
  previousPepper === undefined ? [pepper] : [pepper, previousPepper];

/** The secrets that a request offers, in the order to try them (spec section 5). */
export function offeredSecrets(headers: HeaderReader): string[] {
  // Parsed without a regular expression: one that trims at both ends tries every space of a long run as the last one.
  const authorization = headers.get("authorization") ?? "";
  const bearer = /^bearer\s/i.test(authorization) ? authorization.slice("bearer".length).trim() : "";
  // The header names of Anthropic, Azure and Google.
  const named = ["x-api-key", "api-key", "x-goog-api-key"].map((name) => headers.get(name)?.trim());
  return [...new Set([bearer, ...named].filter((secret): secret is string => Boolean(secret)))];
}
