/** The bytes of a request's body: counted, decompressed, and no more of them in memory than their key may have. */
import { type Duplex, pipeline, Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from "node:zlib";
import { type ClientRequest, hangUpOf } from "@/server/base/client-request";
import { GatewayError } from "@/server/base/errors";
import type { Eventual } from "@/server/base/eventual";
import { inTurns } from "@/server/base/turns";
import type { BodyBytes } from "./body-bytes";

/** Room for a dozen large pictures in base64. next.config.mjs repeats it. */
export const MAX_BODY_BYTES = 32 * 1024 * 1024;

/**
 * The largest body that is parsed on the event loop: 10 ms at worst. Larger ones are checked in a thread before they
 * are paid for.
 */
export const MAX_INLINE_BYTES = 128 * 1024;

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
export function readRaw<T>(
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
export function readError(
  error: unknown,
  request: ClientRequest,
  corrupt: (cause: unknown) => GatewayError,
): unknown {
  if (hangUpOf(request).isCancelled) {
    return new GatewayError("clientGone", "", { cause: error });
  }
  return isCorrupt(error) ? corrupt(error) : error;
}
