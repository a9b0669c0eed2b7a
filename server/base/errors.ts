import { anthropicErrorType } from "./anthropic-error-type";
import type { ErrorDefinition } from "./error-kind";
import { kinds } from "./error-kinds";
import { googleStatus } from "./google-status";
import type { Language, Texts } from "./language";
import type { Redact } from "./redactor";
import { jsonReply, type Reply } from "./reply";
import { isTransient } from "./transient";

export type ErrorKind = keyof typeof kinds;

/** Kinds without their own text: each of their errors needs one of `errorMessages`. */
type Explained = {
  [Name in ErrorKind]: (typeof kinds)[Name]["text"] extends "explained" ? Name : never;
}[ErrorKind];

function textsOf(kind: ErrorKind, detail: string | Texts): Texts {
  const { text }: ErrorDefinition = kinds[kind];
  if (typeof detail !== "string") {
    return detail;
  }
  const message = text === "explained" ? detail : text(detail);
  return typeof message === "string" ? { zh: message, en: message } : message;
}

/** The error's English text. Texts that the specification fixes in Chinese have an English version here, too. */
function englishOf(kind: ErrorKind, detail: string | Texts): string {
  const { english }: ErrorDefinition = kinds[kind];
  return english ? english(typeof detail === "string" ? detail : "") : textsOf(kind, detail).en;
}

type GatewayErrorOptions = { cause?: unknown; headers?: Record<string, string> };

export type GatewayErrorData = { kind: ErrorKind; texts: Texts };

/**
 * The only error class for clients. `detail` fills the kind's text, or is one of `errorMessages`; `headers` are added to the
 * response. `message` is in Chinese, like the spec's texts; clients read `texts`.
 */
export class GatewayError extends Error {
  /** The message may quote a client or an upstream, so logs leave it out. */
  readonly quotes = true;
  readonly kind: ErrorKind;
  readonly status: number;
  readonly slug: string;
  readonly texts: Texts;
  readonly english: string;
  readonly headers: Record<string, string>;

  constructor(kind: Explained, detail: Texts, options?: GatewayErrorOptions);
  constructor(kind: Exclude<ErrorKind, Explained>, detail?: string, options?: GatewayErrorOptions);
  constructor(kind: ErrorKind, detail: string | Texts = "", options: GatewayErrorOptions = {}) {
    const texts = textsOf(kind, detail);
    super(texts.zh, { cause: options.cause });
    this.name = "GatewayError";
    this.texts = texts;
    this.english = englishOf(kind, detail);
    this.kind = kind;
    this.status = kinds[kind].status;
    this.slug = kinds[kind].slug;
    const row: ErrorDefinition = kinds[kind];
    const mayRepeat = row.retry ?? (row.status >= 500 || row.status === 429);
    this.headers = {
      ...(!mayRepeat && { "x-should-retry": "false" }),
      ...(row.status === 503 && { "retry-after": "1" }),
      ...options.headers,
    };
  }

  /** Restores an error that was thrown in another thread and arrived as plain data. */
  static from({ kind, texts }: GatewayErrorData): GatewayError {
    return new GatewayError(kind as Explained, texts);
  }
}

/**
 * Converts any thrown value to a GatewayError. A database that is away becomes 503, for every query. The text of an
 * unknown error never leaves the process.
 */
export function asGatewayError(error: unknown): GatewayError {
  return error instanceof GatewayError
    ? error
    : new GatewayError(isTransient(error) ? "unavailable" : "internal", "", { cause: error });
}

const MAX_QUOTED_CHARACTERS = 2_000;

/** How error texts are rendered. `language`: the client's, for texts that the spec does not fix. */
type Outward = { redact: Redact; language: Language };

/** The envelope of spec section 7: exactly three keys. Upstream messages leave the gateway only through here. */
export function envelope(
  error: GatewayError,
  { redact, language }: Outward,
): { code: number; message: string; data: null } {
  return { code: error.status, message: shown(error, error.texts[language], redact), data: null };
}

function shown({ kind }: GatewayError, text: string, redact: Redact): string {
  const { quotesUpstream: quotes }: ErrorDefinition = kinds[kind];
  return quotes ? redact(text).slice(0, MAX_QUOTED_CHARACTERS) : text;
}

/** The text that SDKs show. It is in the client's language, while the envelope's text may be fixed in Chinese. */
const sdkMessage = (error: GatewayError, { redact, language }: Outward): string =>
  shown(error, language === "en" ? error.english : error.texts[language], redact);

/** The error event of a stream: the envelope, and the sentence that SDKs show. */
export const streamError = (error: GatewayError, outward: Outward) => ({
  ...envelope(error, outward),
  sentence: sdkMessage(error, outward),
});

/**
 * The envelope with the members that the SDKs of OpenAI and Anthropic read. Without them, some SDKs show no text. `type`:
 * of the error, as the dialect names it.
 */
function compatEnvelope(error: GatewayError, outward: Outward, type: string) {
  const plain = envelope(error, outward);
  const message = sdkMessage(error, outward);
  return { ...plain, type: "error", error: { message, type, code: error.slug, param: null } };
}

const openaiErrorType = (status: number): string => (status < 500 ? "invalid_request_error" : "api_error");

/** The same with the members that Google's SDKs read. */
function googleEnvelope(error: GatewayError, outward: Outward) {
  const plain = envelope(error, outward);
  const { code } = plain;
  const message = sdkMessage(error, outward);
  const status = googleStatus(code);
  const seconds = error.headers["retry-after"];
  const retry = { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: `${seconds}s` };
  return {
    ...plain,
    status,
    error: { code, message, status, details: seconds === undefined ? [] : [retry] },
  };
}

type Rendering = Outward & {
  /** Whether to include the members that SDKs read. */
  isCompat: boolean;
  /** The dialect of the client; that of OpenAI if absent. */
  dialect?: "messages" | "gemini" | undefined;
};

function dialectEnvelope(error: GatewayError, how: Rendering) {
  switch (how.dialect) {
    case "gemini":
      return googleEnvelope(error, how);
    case "messages":
      return compatEnvelope(error, how, anthropicErrorType(error.status));
    default:
      return compatEnvelope(error, how, openaiErrorType(error.status));
  }
}

/** Renders every refusal. */
export function errorReply(error: GatewayError, how: Rendering): Reply {
  const body = how.isCompat ? dialectEnvelope(error, how) : envelope(error, how);
  const { sdkError }: ErrorDefinition = kinds[error.kind];
  const reply = jsonReply(error.status, sdkError ? { ...body, error: sdkError } : body);
  return { ...reply, headers: { ...reply.headers, "x-error-code": error.slug, ...error.headers } };
}
