/** The declaration of a call of `/v1`, and the parts that declarations share. */
import type { z } from "zod";
import type { ErrorKind } from "@/server/base/errors";
import { both, type Texts } from "@/server/base/language";
import type { ModelKind } from "@/server/domain/enums";
import type { OpenApiSchema } from "./schema";

/** A parameter of the address or a header. */
export type Parameter = {
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  type?: "string" | "integer";
  values?: readonly string[];
};

/**
 * A schema with its name in the reference. `passed`: members that go to the upstream unchanged, which nothing here
 * validates.
 */
export type NamedSchema = {
  name: string;
  schema: z.ZodType | OpenApiSchema;
  passed?: readonly string[];
};

/**
 * An answer other than the refusals. `events`: the content of each event, if it is streamed. `types`: media types of
 * bodies without a schema.
 */
export type DocumentedResponse = {
  status: 200 | 202 | 206 | 302;
  schema?: NamedSchema;
  events?: NamedSchema;
  /** The headers that the reference shows. */
  headers?: readonly string[];
  types?: readonly string[];
};

/** `Id` and `Name` are literal types, so that the gateway's handlers and the log's names are checked. */
export type Endpoint<Id extends string = string, Name extends string = string> = {
  /** Its name in the reference, unlike that of any other call. */
  id: Id;
  /** Its name in the log, the metrics and the list of calls; several calls may share one. */
  name: Name;
  /** How people see the name; absent: as the path. */
  label?: string;
  method: "get" | "post" | "delete";
  path: string;
  /** Azure's clients call it below the address of a deployment, which names the model. */
  isAtDeployments?: true;
  /** The end of its path is too common a word: it shows no wrong base URL. */
  isCommonWord?: true;
  /** The dialect of its clients; chat if absent. */
  dialect?: "messages" | "gemini";
  /** `open`: without a key. */
  access: "key" | "open";
  /** The limit on calls for videos that it counts towards. */
  limit?: "submit" | "status";
  /** Repeats with one Idempotency-Key get the first answer. */
  isIdempotent?: true;
  /** No reference shows it. */
  isHidden?: true;
  tag: Tag;
  summary: Texts;
  parameters?: readonly Parameter[];
  json?: NamedSchema;
  /** A call without a body is treated like one with `{}`. */
  isBodyOptional?: true;
  form?: NamedSchema;
  answers: readonly DocumentedResponse[];
  refusals: readonly ErrorKind[];
};

/** A body for the console's examples of a call. `file`: where the answer is saved. */
export type Example = { body: object; file?: string };

/**
 * A paid call with one answer, which is forwarded in the client's words (spec 4.10). Its name is also that of the
 * upstream operation. `kind`: of the models that it is sold by.
 */
export type Forwarded = { kind: ModelKind; example?: Example };

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
  "cannotConvert",
  "upstreamRejected",
  "upstreamsUnavailable",
  "upstreamMalformed",
  "upstreamBusy",
  "billingFailed",
  ...once,
] as const satisfies ErrorKind[];

/** The headers of answers to conversations. */
export const ofConversations = ["x-tollgate-ignored"];

const idempotencyKey: Parameter = { name: "Idempotency-Key", in: "header" };
export const version: Parameter = { name: "anthropic-version", in: "header", required: true };
export const idOf = (name: string): Parameter => ({ name, in: "path", required: true });
export const limit: Parameter = { name: "limit", in: "query", type: "integer" };
export const after: Parameter = { name: "after", in: "query" };
export const order: Parameter = { name: "order", in: "query", values: ["asc", "desc"] };

export const EVENTS = "text/event-stream";

type Bought<Id extends string, Name extends string> = Omit<
  Endpoint<Id, Name>,
  "method" | "access" | "refusals" | "isIdempotent"
> & { refusals?: readonly ErrorKind[] };

/** A paid call whose handler itself keeps a repeat from paying twice. */
export const orders = <const Id extends string, const Name extends string>(
  declared: Bought<Id, Name>,
): Endpoint<Id, Name> => ({
  ...declared,
  method: "post",
  access: "key",
  parameters: [...(declared.parameters ?? []), idempotencyKey],
  refusals: [...bought, ...(declared.refusals ?? [])],
});

/** A paid call whose repeats get the stored answer. */
export const buys = <const Id extends string, const Name extends string>(
  declared: Bought<Id, Name>,
): Endpoint<Id, Name> => ({ ...orders(declared), isIdempotent: true });

/** A call that costs nothing. */
export const reads = <const Id extends string, const Name extends string>(
  declared: Omit<Endpoint<Id, Name>, "access">,
): Endpoint<Id, Name> => ({
  ...declared,
  access: "key",
  refusals: [...keyed, ...declared.refusals],
});

/** A call without a key. */
export const openReads = <const Id extends string, const Name extends string>(
  declared: Omit<Endpoint<Id, Name>, "access">,
): Endpoint<Id, Name> => ({
  ...declared,
  access: "open",
  refusals: [...declared.refusals, "internal", "unavailable"],
});
