import { createHmac, randomBytes } from "node:crypto";

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

/** A new secret of a client's key: `sk-` and 43 digits. */
export const mintSecret = () => mint("sk");

/** A new secret of a management key: `mk-` and 43 digits. */
export const mintManagementSecret = () => mint("mk");

/** Whether a text can be one of our secrets at all; what cannot is refused without asking the database. */
export const looksLikeSecret = (text: string) => SHAPE.test(text);

/** The same of a management key's. */
export const looksLikeManagementSecret = (text: string) => MANAGEMENT_SHAPE.test(text);

const ANYWHERE = new RegExp(`(?<=[sm]k-)${DIGITS}`, "g");

/** A text without what could be one of our secrets in it, for the log: an address that was put together wrongly. */
export const withoutOurSecrets = (text: string) => text.replace(ANYWHERE, "***");

/** What is stored of a secret. A plain keyed hash: 256 random bits need no slow one. */
export function hashSecret(secret: string, pepper: string): string {
  return createHmac("sha256", pepper).update(secret).digest("base64url");
}

/** The pepper that new hashes are made with, and the one before it, with which older ones were. */
export type Peppers = { pepper: string; previousPepper?: string | undefined };

export const peppersOf = ({ pepper, previousPepper }: Peppers): [string, ...string[]] =>
  previousPepper === undefined ? [pepper] : [pepper, previousPepper];

/** The secrets that a request offers, in the order to try them (spec section 5). */
export function offeredSecrets(headers: Headers): string[] {
  // By hand: an expression that trims at both ends tries every space of a long run as the last one.
  const authorization = headers.get("authorization") ?? "";
  const bearer = /^bearer\s/i.test(authorization) ? authorization.slice("bearer".length).trim() : "";
  // Anthropic's name for it, Azure's, and Google's.
  const named = ["x-api-key", "api-key", "x-goog-api-key"].map((name) => headers.get(name)?.trim());
  return [...new Set([bearer, ...named].filter((secret): secret is string => Boolean(secret)))];
}
