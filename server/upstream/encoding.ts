/**
 * Decodes compressed answers. Every call asks for uncompressed ones (RFC 9110 12.5.3); some vendors and proxies
 * compress anyway.
 */
import { Readable, type Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import {
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from "node:zlib";
import { type ReplyBody, UpstreamFault } from "./adapter";

/** The header by which a call refuses compressed answers. */
export const UNCOMPRESSED = { "accept-encoding": "identity" };

/** The most that is read and decoded ahead of the reader. */
const BOUNDED = { highWaterMark: 16 * 1024, chunkSize: 16 * 1024 };

type DecoderFactory = (first: Uint8Array) => Transform;

const decoders: Record<string, DecoderFactory> = {
  gzip: () => createGunzip(BOUNDED),
  "x-gzip": () => createGunzip(BOUNDED),
  br: () => createBrotliDecompress(BOUNDED),
  zstd: () => createZstdDecompress(BOUNDED),
  // By its name it has zlib's header, which some servers leave out (RFC 9110 8.4.1.2).
  deflate: ([head = 0]) => ((head & 0x0f) === 8 ? createInflate(BOUNDED) : createInflateRaw(BOUNDED)),
};

async function* decodedPieces(
  pieces: AsyncIterator<Uint8Array>,
  open: DecoderFactory,
): AsyncGenerator<Uint8Array> {
  let first = await pieces.next();
  while (!first.done && first.value.length === 0) {
    first = await pieces.next();
  }
  if (first.done) {
    return;
  }
  const { value } = first;
  async function* all() {
    yield value;
    yield* { [Symbol.asyncIterator]: () => pieces };
  }
  const decoder = open(value);
  // A decoder takes only what it has room for, however much a piece expands to; its error is thrown below.
  pipeline(Readable.from(all(), { ...BOUNDED, objectMode: false }), decoder).catch(() => {});
  try {
    for await (const piece of decoder) {
      yield piece;
    }
  } catch (error) {
    throw error instanceof UpstreamFault
      ? error
      : new UpstreamFault("malformed", "the answer's encoding cannot be read", { cause: error });
  } finally {
    decoder.destroy();
  }
}

/** A reader that leaves ends the body at once, even if no further piece comes. */
function decode(body: ReplyBody, open: DecoderFactory): ReplyBody {
  const pieces = body[Symbol.asyncIterator]();
  const decoding = decodedPieces(pieces, open);
  const leave = async (): Promise<IteratorResult<Uint8Array>> => {
    await pieces.return?.();
    await decoding.return(undefined);
    return { done: true, value: undefined };
  };
  return { [Symbol.asyncIterator]: () => ({ next: () => decoding.next(), return: leave }) };
}

/**
 * Decompresses a body, piece by piece as it comes. Ends in UpstreamFault `malformed` if the body is not in the encoding
 * that its header names.
 */
export function decoded(body: ReplyBody, encoding: string | string[] | undefined): ReplyBody {
  if (encoding === undefined) {
    return body;
  }
  const names = [encoding].flat().join(",").toLowerCase().split(",");
  return names.reduceRight((inner: ReplyBody, name) => {
    const open = decoders[name.trim()];
    return open ? decode(inner, open) : inner;
  }, body);
}
