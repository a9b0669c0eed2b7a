import { type Duplex, pipeline, Readable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from "node:zlib";
import { type ClientRequest, hangUpOf } from "@/server/base/client-request";
import { errorMessages } from "@/server/base/error-messages";
import { GatewayError } from "@/server/base/errors";
import { type Eventual, whenOver } from "@/server/base/eventual";
import { inTurns } from "@/server/base/turns";
import type { Endpoint } from "@/server/endpoints";
import { withoutLoneSurrogates } from "@/server/protocol/json/lone-surrogates";
import { readJsonInSteps } from "@/server/protocol/json/text";
import { boundaryOf, type Form, isForm, parseForm } from "@/server/protocol/multipart/form";
import type { AuthedCall } from "../pipeline/call";
import { parseNamed, withModel } from "../pipeline/path-model";
import type { RequestKind } from "../pipeline/request-kinds";
import type { BodyBytes } from "./body-bytes";
import { checkInThread } from "./parse-worker";

/** Room for a dozen large pictures in base64. next.config.mjs repeats it. */
export const MAX_BODY_BYTES = 32 * 1024 * 1024;

/**
 * The largest body that is parsed on the event loop: 10 ms at worst. Larger ones are checked in a thread before they
 * are paid for.
 */
const MAX_INLINE_BYTES = 128 * 1024;

/** The bytes that a request's body reserves at once. 0 for a large body, which reserves its bytes as they come. */
export function expectedBytes(request: ClientRequest): number {
  const length = Number(request.headers.get("content-length") ?? 0);
  return length <= MAX_INLINE_BYTES && encodingOf(request) === "" ? length : 0;
}

const tooLarge = () => new GatewayError("bodyTooLarge", `${MAX_BODY_BYTES / 1024 / 1024} MB`);

const decoders: Record<string, (() => Duplex) | undefined> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};

/** Decompresses a client's body (Codex compresses). Throws unknownEncoding. */
function decoded(body: ReadableStream<Uint8Array>, encoding: string): AsyncIterable<Uint8Array> {
  const decoder = decoders[encoding];
  if (!decoder) {
    throw new GatewayError("unknownEncoding", encoding.slice(0, 40));
  }
  const source = Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]);
  // An error of either stream is thrown to the reader.
  return pipeline(source, decoder(), () => {});
}

/** A body's compression. "": none. */
const encodingOf = ({ headers }: ClientRequest): string => {
  const encoding = (headers.get("content-encoding") ?? "").trim().toLowerCase();
  return encoding === "identity" ? "" : encoding;
};

const isCorrupt = (error: unknown): boolean =>
  error instanceof Error &&
  /^(?:Z_|ERR_(?:_?BROTLI|_ERROR|ZSTD|BROTLI)|ZSTD_)/.test((error as NodeJS.ErrnoException).code ?? "");

const BLOCK_BYTES = 64 * 1024;

/** Collects a body in blocks: one-byte pieces, of which a client may send millions, take a hundred bytes each. */
class Blocks {
  private readonly blocks: Buffer[] = [];
  private size = 0;

  /** `room`: called for each block before it is allocated. */
  async add(piece: Uint8Array, room: (bytes: number) => Eventual<void>): Promise<void> {
    for (let from = 0; from < piece.byteLength; ) {
      const used = this.size % BLOCK_BYTES;
      if (used === 0) {
        await room(BLOCK_BYTES);
        this.blocks.push(Buffer.allocUnsafe(BLOCK_BYTES));
      }
      const part = piece.subarray(from, from + BLOCK_BYTES - used);
      this.blocks.at(-1)?.set(part, used);
      from += part.byteLength;
      this.size += part.byteLength;
    }
  }

  clear(): void {
    this.blocks.length = 0;
    this.size = 0;
  }

  /** The whole body. Yields, so that long work can pause; empties this. */
  *whole(): Generator<void, Buffer> {
    const whole = Buffer.allocUnsafeSlow(this.size);
    for (const [index, block] of this.blocks.splice(0).entries()) {
      block.copy(whole, index * BLOCK_BYTES);
      yield;
    }
    return whole;
  }
}

/**
 * The gateway reads a body that is too large up to this size, and drops it. Otherwise a client that is still sending
 * would find its connection closed instead of the answer, because the server's adapter waits for the rest for half a
 * second.
 */
const MAX_READ_BYTES = 2 * MAX_BODY_BYTES;

async function readCounted(
  body: AsyncIterable<Uint8Array>,
  bytes: BodyBytes,
  length: number,
): Promise<Buffer> {
  const blocks = new Blocks();
  let size = 0;
  let refused: { error: unknown } | null = length > MAX_BODY_BYTES ? { error: tooLarge() } : null;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > MAX_READ_BYTES) {
      // The call ends with this error, however the body's reader ends; leaving the loop gives the rest up.
      throw tooLarge();
    }
    try {
      if (!refused && size > MAX_BODY_BYTES) {
        throw tooLarge();
      }
      // Reserved as the bytes come: a length that is only announced takes no memory from others. A refused body is read
      // on, because a client that is still sending would find its connection closed instead of the answer.
      if (!refused) {
        await blocks.add(chunk, bytes.take);
      }
    } catch (error) {
      refused = { error };
      blocks.clear();
      bytes.release();
    }
  }
  if (refused) {
    throw refused.error;
  }
  return await inTurns(blocks.whole());
}

/**
 * Reads the raw body; a small one with `whole`, which is quicker. Throws 429 and 503, and errors for `readError`.
 */
function readRaw<T>(
  request: ClientRequest,
  bytes: BodyBytes,
  whole: (request: ClientRequest) => Promise<T>,
): Promise<T | Buffer> {
  const length = Number(request.headers.get("content-length") ?? Number.NaN);
  if (length > MAX_READ_BYTES) {
    throw tooLarge();
  }
  // In this order, because opening the body as a stream costs more than reading a small one.
  const encoding = encodingOf(request);
  if ((length <= MAX_INLINE_BYTES && encoding === "") || !request.body) {
    // The HTTP parser holds a client to the length that it announced.
    const taken = bytes.take(length || 0);
    return taken instanceof Promise ? taken.then(() => whole(request)) : whole(request);
  }
  return readCounted(encoding === "" ? request.body : decoded(request.body, encoding), bytes, length);
}

/** The error for a body that could not be read. `corrupt`: for one that cannot be decompressed. */
function readError(
  error: unknown,
  request: ClientRequest,
  corrupt: (cause: unknown) => GatewayError,
): unknown {
  if (hangUpOf(request).isCancelled) {
    return new GatewayError("clientGone", "", { cause: error });
  }
  return isCorrupt(error) ? corrupt(error) : error;
}

/** Throws the 400 for a body of another type than JSON. */
function checkType({ headers }: ClientRequest): void {
  const [type = ""] = (headers.get("content-type") ?? "").split(";", 1);
  if (!/^application\/(?:[\w.+-]{1,64}\+)?json$/i.test(type.trim())) {
    throw new GatewayError("invalidContentType", "application/json");
  }
}

/** A call whose body is read. The reader sets `readyAt` at the end, so the time of a slow client does not count. */
type SendingCall = Pick<AuthedCall, "request" | "bytes" | "readyAt">;

/**
 * Reads a JSON body, as text if it is small, and continues with it. `isOptional`: a missing body stands for `{}`. Throws
 * the 400s for a wrong type and for a body that is too large, 429 and 503.
 */
function readBody<T>(
  call: SendingCall,
  next: (body: string | Buffer) => Eventual<T>,
  isOptional = false,
): Eventual<T> {
  const { request, bytes } = call;
  if (!isOptional) {
    checkType(request);
  }
  return whenOver(
    () => readRaw(request, bytes, (small) => small.text()),
    (body) => {
      call.readyAt = performance.now();
      if (isOptional) {
        if (body.length === 0) {
          return next("{}");
        }
        checkType(request);
      }
      return next(
        typeof body === "string" || body.byteLength > MAX_INLINE_BYTES ? body : body.toString("utf8"),
      );
    },
    (error) => {
      throw readError(error, request, (cause) => new GatewayError("invalidJson", "", { cause }));
    },
  );
}

/** Reads a form. Throws the 400s for a body that is no form or is too large, 429 and 503. */
export async function readForm(call: SendingCall): Promise<Form> {
  const { request, bytes } = call;
  const boundary = boundaryOf(request.headers.get("content-type") ?? "");
  try {
    const form = parseForm(
      await readRaw(request, bytes, async (small) => Buffer.from(await small.arrayBuffer())),
      boundary,
    );
    call.readyAt = performance.now();
    return form;
  } catch (error) {
    throw readError(
      error,
      request,
      (cause) => new GatewayError("invalidParameters", errorMessages.notForm(), { cause }),
    );
  }
}

/**
 * Whether an endpoint's calls come as forms. `maybe`: at the client's choice. `optional`: as JSON, or without a body.
 */
export type Forms = "never" | "always" | "maybe" | "optional";

export const formsOf = ({ json, form, isBodyOptional }: Endpoint): Forms => {
  if (form) {
    return json ? "maybe" : "always";
  }
  return isBodyOptional ? "optional" : "never";
};

/** Reads a call's body, in the form that its endpoint takes. Throws as `readBody` and `readForm` do. */
export async function readSent(call: SendingCall, forms: Forms): Promise<Pick<AuthedCall, "body" | "form">> {
  const type = call.request.headers.get("content-type") ?? "";
  return forms === "always" || (forms === "maybe" && isForm(type))
    ? { form: await readForm(call) }
    : await readBody<Pick<AuthedCall, "body">>(call, (body) => ({ body }), forms === "optional");
}

/** The facts that are needed before a call is paid for, and the parsed call itself, for afterwards. */
export type ReadCall<Known, Parsed> = { facts: Known; open: () => Eventual<Parsed> };

/** Parses a large body in a thread, before it is paid for, and here when it is opened. */
async function readLarge<Known, Parsed extends Known>(
  body: Buffer,
  kind: RequestKind<Known, Parsed>,
  pathModel: string | null,
): Promise<ReadCall<Known, Parsed>> {
  // An address with a model may stand for a body without one.
  const large = kind.readLarge && pathModel === null ? await inTurns(kind.readLarge(body)) : null;
  if (large !== null) {
    return { facts: large, open: async () => large };
  }
  const checked = await checkInThread<Known>(kind.name, body, pathModel);
  return {
    facts: checked.facts,
    open: async () => {
      const text = checked.body.toString("utf8");
      const raw =
        checked.isNamed && pathModel !== null
          ? withModel(await inTurns(readJsonInSteps(text)), pathModel)
          : text;
      await nextTurn();
      const source = kind.isReadAgain ? await inTurns(readJsonInSteps(raw)) : raw;
      await nextTurn();
      const parsed = kind.parse(source, checked.facts);
      // The call's next step, such as translating all of it, runs in another turn.
      await nextTurn();
      return parsed;
    },
  };
}

type CallToRead = Pick<AuthedCall, "request" | "bytes" | "pathModel" | "body" | "readyAt">;

/**
 * Parses a call's body as this kind, and continues with it. `pathModel`: the address's model, for a body without one.
 * Throws the 400s of spec section 7, and 429 and 503 if too many bytes of bodies are in memory.
 */
export function whenRead<Known, Parsed extends Known, T>(
  call: CallToRead,
  kind: RequestKind<Known, Parsed>,
  next: (read: ReadCall<Known, Parsed>) => Eventual<T>,
): Eventual<T> {
  const { pathModel = null } = call;
  const read = (body: string | Buffer): Eventual<T> => {
    if (typeof body !== "string") {
      return readLarge(body, kind, pathModel).then(next);
    }
    const { parsed } = parseNamed(withoutLoneSurrogates(body), pathModel, (text) => kind.parse(text));
    return next({ facts: parsed, open: () => parsed });
  };
  return call.body === undefined ? readBody(call, read) : read(call.body);
}

/** As `whenRead`, for a caller that waits for the body. */
export const readCall = <Known, Parsed extends Known>(
  call: CallToRead,
  kind: RequestKind<Known, Parsed>,
): Eventual<ReadCall<Known, Parsed>> => whenRead(call, kind, (read) => read);
