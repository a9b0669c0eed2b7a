/** The parts of an operation of the reference. */
import type { ErrorKind } from "@/server/base/errors";
import type { Texts } from "@/server/base/language";
import type { AnswerName } from "./answers";
import type { BodyName } from "./bodies";
import { both } from "./texts";

type Method = "get" | "post" | "delete";

/** A parameter of the address or a header. */
export type Parameter = {
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  type?: "string" | "integer";
  values?: readonly string[];
};

/**
 * An answer other than those of section 7. `events`: the content of each event, if it is streamed. `types`: media types
 * of bodies without a schema.
 */
export type DocumentedResponse = {
  status: 200 | 202 | 206 | 302;
  schema?: AnswerName;
  events?: AnswerName;
  types?: readonly string[];
};

export type DocumentedOperation = {
  id: string;
  method: Method;
  path: string;
  tag: Tag;
  summary: Texts;
  /** `open`: without a key. */
  access: "key" | "open";
  parameters?: readonly Parameter[];
  json?: BodyName;
  /** A call without a body is treated like one with `{}`. */
  isBodyOptional?: boolean;
  form?: BodyName;
  answers: readonly DocumentedResponse[];
  refusals: readonly ErrorKind[];
};

export const tags = {
  models: both("模型", "Models"),
  chat: both("对话", "Conversations"),
  embeddings: both("向量", "Embeddings"),
  media: both("图片、语音、重排与审核", "Images, sound, rerank, moderations"),
  videos: both("视频", "Videos"),
  gemini: both("Gemini API", "Gemini API"),
  balance: both("余额", "Balance"),
} as const satisfies Record<string, Texts>;

type Tag = keyof typeof tags;

const keyed = [
  "missingKey",
  "invalidKey",
  "expiredKey",
  "keyDisabled",
  "accountDisabled",
  "addressNotAllowed",
  "rateLimited",
  "tooManyAtOnce",
  "internal",
  "unavailable",
] as const satisfies ErrorKind[];

/** Refusals that every body may get. */
export const written = [
  "invalidParameters",
  "invalidJson",
  "invalidContentType",
  "bodyTooLarge",
  "unknownEncoding",
] as const satisfies ErrorKind[];

export const modelRefusals = ["missingModel", ...written, "unknownModel"] as const satisfies ErrorKind[];

const forwarded = [
  "cannotConvert",
  "upstreamRejected",
  "upstreamsUnavailable",
  "upstreamMalformed",
  "upstreamBusy",
] as const satisfies ErrorKind[];

export const once = [
  "idempotencyMismatch",
  "idempotencyInProgress",
  "idempotencyNotKept",
] as const satisfies ErrorKind[];

/** Refusals that every paid call may get. */
const bought = [
  ...keyed,
  ...modelRefusals,
  "quotaExhausted",
  ...forwarded,
  "billingFailed",
  ...once,
] as const;

const idempotencyKey: Parameter = { name: "Idempotency-Key", in: "header" };
export const version: Parameter = { name: "anthropic-version", in: "header", required: true };
export const idOf = (name: string): Parameter => ({ name, in: "path", required: true });
export const limit: Parameter = { name: "limit", in: "query", type: "integer" };
export const after: Parameter = { name: "after", in: "query" };
export const order: Parameter = { name: "order", in: "query", values: ["asc", "desc"] };

export const EVENTS = "text/event-stream";

export const buys = (
  operation: Omit<DocumentedOperation, "method" | "access" | "refusals"> & {
    refusals?: readonly ErrorKind[];
  },
): DocumentedOperation => ({
  method: "post",
  access: "key",
  ...operation,
  parameters: [...(operation.parameters ?? []), idempotencyKey],
  refusals: [...bought, ...(operation.refusals ?? [])],
});

export const reads = (operation: Omit<DocumentedOperation, "access">): DocumentedOperation => ({
  access: "key",
  ...operation,
  refusals: [...keyed, ...operation.refusals],
});
