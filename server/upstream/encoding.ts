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

const decoders = {
  gzip: () => createGunzip(BOUNDED),
  "x-gzip": () => createGunzip(BOUNDED),
  br: () => createBrotliDecompress(BOUNDED),
  zstd: () => createZstdDecompress(BOUNDED),
  // By its name it has zlib's header, which some servers leave out (RFC 9110 8.4.1.2).
  deflate: ([head = 0]) => ((head & 0x0f) === 8 ? createInflate(BOUNDED) : createInflateRaw(BOUNDED)),
} satisfies Record<string, DecoderFactory>;

/** The bytes that show whether a body is in the encoding that its header names. */
const TELLING_BYTES = 8;

/** The start of JSON or of an event stream, all in ASCII: no compressed answer starts like this. */
const PLAIN = /^\s*(?:\{\s*["}]|\[\s*[[{"\]]|data:|event:|id:|:)[\t\n\r -~]*$/;

/**
 * The decoder of a body. Some proxies decompress or compress a body and leave its header as it was, so the first bytes
 * count more than the name. null: the body is not compressed.
 */
function decoderOf(name: string, first: Uint8Array): DecoderFactory | null {
  if (first[0] === 0x1f && first[1] === 0x8b && first[2] === 8) {
    return decoders.gzip;
  }
  if (first[0] === 0x28 && first[1] === 0xb5 && first[2] === 0x2f && first[3] === 0xfd) {
    return decoders.zstd;
  }
  const isPlain = PLAIN.test(Buffer.from(first.subarray(0, TELLING_BYTES)).toString("latin1"));
  return !isPlain && Object.hasOwn(decoders, name) ? decoders[name as keyof typeof decoders] : null;
}

/** The pieces of a body up to its telling bytes, as one. null: the body is empty. */
async function readFirst(pieces: AsyncIterator<Uint8Array>): Promise<Uint8Array | null> {
  let first: Uint8Array = new Uint8Array();
  while (first.length < TELLING_BYTES) {
    const next = await pieces.next();
    if (next.done) {
      break;
    }
    first = first.length === 0 ? next.value : Buffer.concat([first, next.value]);
  }
  return first.length === 0 ? null : first;
}

async function* from(first: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  yield* { [Symbol.asyncIterator]: () => rest };
}

async function* decodedPieces(pieces: AsyncIterator<Uint8Array>, name: string): AsyncGenerator<Uint8Array> {
  const first = await readFirst(pieces);
  if (first === null) {
    return;
  }
  const open = decoderOf(name, first);
  if (open === null) {
    yield* from(first, pieces);
    return;
  }
  const decoder = open(first);
  // A decoder takes only what it has room for, however much a piece expands to; its error is thrown below.
  pipeline(Readable.from(from(first, pieces), { ...BOUNDED, objectMode: false }), decoder).catch(() => {});
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
function decode(body: ReplyBody, name: string): ReplyBody {
  const pieces = body[Symbol.asyncIterator]();
  const decoding = decodedPieces(pieces, name);
  const leave = async (): Promise<IteratorResult<Uint8Array>> => {
    await pieces.return?.();
    await decoding.return(undefined);
    return { done: true, value: undefined };
  };
  return { [Symbol.asyncIterator]: () => ({ next: () => decoding.next(), return: leave }) };
}

/**
 * Decompresses a body, piece by piece as it comes. A body that is plainly in another encoding than its header names is
 * read in its own. Ends in UpstreamFault `malformed` if the body cannot be decoded.
 */
export function decoded(body: ReplyBody, encoding: string | string[] | undefined): ReplyBody {
  if (encoding === undefined) {
    return body;
  }
  const names = [encoding].flat().join(",").toLowerCase().split(",");
  return names.reduceRight((inner: ReplyBody, name) => decode(inner, name.trim()), body);
}
