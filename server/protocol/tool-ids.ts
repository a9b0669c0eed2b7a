import { createHash } from "node:crypto";

/** Marks an identifier that holds another one, which the messages dialect would refuse (`functions.Bash:0`). */
const PREFIX = "tgid_";

/** OpenAI refuses longer ones. */
const MAX_CHAT_CHARACTERS = 40;

const digest = (text: string) => createHash("sha256").update(text).digest("hex");

/** An identifier for the messages dialect (`[a-zA-Z0-9_-]+`), distinct for distinct ones. Not for "". */
export function toMessagesToolId(id: string): string {
  // One that looks wrapped is wrapped again, or it would come back as another.
  return /^[a-zA-Z0-9_-]+$/.test(id) && !id.startsWith(PREFIX)
    ? id
    : `${PREFIX}${Buffer.from(id, "utf8").toString("base64url")}`;
}

/** Far longer than what anybody's identifier wraps into. */
const MAX_WRAPPED_CHARACTERS = 10_000;

/** What `toMessagesToolId` wrapped; an identifier that only looks wrapped is itself. */
function unwrap(id: string): string {
  if (!id.startsWith(PREFIX) || id.length > MAX_WRAPPED_CHARACTERS) {
    return id;
  }
  const original = Buffer.from(id.slice(PREFIX.length), "base64url").toString("utf8");
  return original !== "" && toMessagesToolId(original) === id ? original : id;
}

/**
 * An identifier for the chat dialect: what the upstream gave before `toMessagesToolId` wrapped it (some, like Kimi's,
 * mean something to their model), and one of bounded length for any other.
 */
export function toChatToolId(id: string): string {
  const original = unwrap(id);
  return original.length <= MAX_CHAT_CHARACTERS ? original : `call_${digest(original).slice(0, 32)}`;
}

/**
 * An identifier, legal in both dialects, for the call at `position` of an answer whose upstream gave it none (Gemini).
 */
export const mintToolId = (answerId: string, position: number | string): string =>
  `call_${digest(`${answerId}:${position}`).slice(0, 24)}`;

/** Between an identifier and the signature that it carries. */
const SIGNED = "__tgs_";

/** Far longer than the longest signature of a call that any vendor has been seen to send. */
const MAX_SIGNED_CHARACTERS = 200_000;

/**
 * An identifier that carries its call's signature through a client that knows none: clients hand identifiers back and,
 * of members that they do not know, nothing.
 */
export const signToolId = (id: string, signature: string): string =>
  `${id}${SIGNED}${Buffer.from(signature, "utf8").toString("base64url")}`;

/** Marks the identifier of a call under which the gateway has kept what came before it (`kept-thinking.ts`). */
const KEPT = "__tgk";

/** Whether the identifier is unique and cannot be guessed: some vendors count theirs from `call_0`. */
export const mayBeKept = (id: string): boolean => /^[\w-]{20,100}$/.test(id) && !id.includes(SIGNED);

export const keptToolId = (id: string): string => `${id}${KEPT}`;

/** Whether a body may have an identifier that `keptToolId` made. */
export const mayHaveKept = (raw: string): boolean => raw.includes(`${KEPT}"`);

/**
 * Takes apart what `signToolId` or `keptToolId` put together. `signature` "": the identifier carries none. `isKept`: the
 * gateway keeps the thinking before the call.
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

/** A body's text whose identifiers carry nothing and have no mark: vendors take no long ones, and know theirs again. */
export const withoutSignedIds = (raw: string): string =>
  raw.includes(SIGNED) || mayHaveKept(raw)
    ? raw.replace(/("(?:tool_call_)?id"\s{0,9}:\s{0,9}"[^"\\]{0,200}?)(?:__tgs_[\w-]+|__tgk)(?=")/g, "$1")
    : raw;
