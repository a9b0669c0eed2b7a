import { createHash } from "node:crypto";

/** Marks an identifier that wraps another one, which the messages dialect would refuse (`functions.Bash:0`). */
const PREFIX = "tgid_";

/** OpenAI refuses longer ones. */
const MAX_CHAT_CHARACTERS = 40;

const digest = (text: string) => createHash("sha256").update(text).digest("hex");

/** An identifier for the messages dialect (`[a-zA-Z0-9_-]+`). Distinct identifiers stay distinct. Not for "". */
export function toMessagesToolId(id: string): string {
  // An identifier that looks wrapped is wrapped again; otherwise `unwrap` would change it.
  return /^[a-zA-Z0-9_-]+$/.test(id) && !id.startsWith(PREFIX)
    ? id
    : `${PREFIX}${Buffer.from(id, "utf8").toString("base64url")}`;
}

/** Far longer than any wrapped identifier. */
const MAX_WRAPPED_CHARACTERS = 10_000;

/** Undoes `toMessagesToolId`; returns an identifier that only looks wrapped unchanged. */
function unwrap(id: string): string {
  if (!id.startsWith(PREFIX) || id.length > MAX_WRAPPED_CHARACTERS) {
    return id;
  }
  const original = Buffer.from(id.slice(PREFIX.length), "base64url").toString("utf8");
  return original !== "" && toMessagesToolId(original) === id ? original : id;
}

/**
 * An identifier for the chat dialect: the upstream's original, before `toMessagesToolId` wrapped it (some, like Kimi's,
 * carry meaning for their model); a longer one becomes a hash of bounded length.
 */
export function toChatToolId(id: string): string {
  const original = unwrap(id);
  return original.length <= MAX_CHAT_CHARACTERS ? original : `call_${digest(original).slice(0, 32)}`;
}

/** An identifier, legal in both dialects, for the call at `position` of an answer whose upstream sent none (Gemini). */
export const mintToolId = (answerId: string, position: number | string): string =>
  `call_${digest(`${answerId}:${position}`).slice(0, 24)}`;

/** Separates an identifier from its signature. */
const SIGNED = "__tgs_";

/** Far longer than the longest signature of a call that any vendor has been seen to send. */
const MAX_SIGNED_CHARACTERS = 200_000;

/**
 * An identifier that carries its call's signature through a client that has no member for it: clients hand identifiers
 * back, but no unknown members.
 */
export const signToolId = (id: string, signature: string): string =>
  `${id}${SIGNED}${Buffer.from(signature, "utf8").toString("base64url")}`;

/** Marks the identifier of a call whose preceding thinking the gateway keeps (`kept-thinking.ts`). */
const KEPT = "__tgk";

/** Whether the identifier is unique and cannot be guessed: some vendors count theirs from `call_0`. */
export const mayBeKept = (id: string): boolean => /^[\w-]{20,100}$/.test(id) && !id.includes(SIGNED);

export const keptToolId = (id: string): string => `${id}${KEPT}`;

/** Whether a body may have an identifier from `keptToolId`. */
export const mayHaveKept = (raw: string): boolean => raw.includes(`${KEPT}"`);

/** Whether a body may have an identifier that carries a signature or a mark. */
export const mayHaveSigned = (raw: string): boolean => raw.includes(SIGNED) || mayHaveKept(raw);

/**
 * Undoes `signToolId` or `keptToolId`. `signature` "": the identifier carries none. `isKept`: the gateway keeps the
 * thinking before the call.
 */
export function readSignedToolId(id: string): { id: string; signature: string; isKept: boolean } {
  if (id.endsWith(KEPT)) {
    return { id: id.slice(0, -KEPT.length), signature: "", isKept: true };
  }
  const place = id.length > MAX_SIGNED_CHARACTERS ? -1 : id.indexOf(SIGNED);
  return place === -1
    ? { id, signature: "", isKept: false }
    : {
        id: id.slice(0, place),
        signature: Buffer.from(id.slice(place + SIGNED.length), "base64url").toString("utf8"),
        isKept: false,
      };
}

/**
 * Removes signatures and marks from the identifiers in a body's text: vendors take no long identifiers, and recognise
 * their own.
 */
export const withoutSignedIds = (raw: string): string =>
  mayHaveSigned(raw)
    ? raw.replace(/("(?:tool_call_)?id"\s{0,9}:\s{0,9}"[^"\\]{0,200}?)(?:__tgs_[\w-]+|__tgk)(?=")/g, "$1")
    : raw;
