import { isJsonObject, type JsonObject } from "../fields";
import type { CountedUsage } from "../upstream-plan";
import { estimatedUsage, readCount } from "../usage/usage";
import { decodeVector, encodeFloats } from "./encoding";
import type { EmbeddingsRequest } from "./request";
import { placeOf } from "./written-vectors";

/** One vector as it will be printed: base64, numbers, or its JSON as the vendor wrote it. */
type Vector = string | ArrayLike<number> | { written: string };

/** `written`: the JSON of vectors that were taken out (`takeVectors`). */
type Asked = EmbeddingsRequest & { written?: readonly string[] };

/** Whether numbers go to the client as they come. */
export const passesNumbers = ({ encoding, isQuantized }: EmbeddingsRequest): boolean =>
  encoding === "float" || isQuantized;

/**
 * Converts one embedding to the encoding that the client asked for. Passes on a fitting one without a copy. null: no
 * vector.
 */
function convert(embedding: unknown, request: Asked): Vector | null {
  const written = request.written?.[placeOf(embedding) ?? -1];
  if (written !== undefined) {
    return { written };
  }
  if (Array.isArray(embedding)) {
    if (embedding.length === 0 || !embedding.every(Number.isFinite)) {
      return null;
    }
    return passesNumbers(request) ? embedding : encodeFloats(embedding);
  }
  if (typeof embedding !== "string" || embedding === "") {
    return null;
  }
  if (request.isQuantized) {
    return embedding;
  }
  const isAsked = request.encoding === "base64";
  const vector = decodeVector(embedding, { dimensions: request.dimensions, isAsked });
  if (vector === null || !isAsked) {
    return vector;
  }
  return vector instanceof Float32Array ? embedding : encodeFloats(vector);
}

/**
 * Sorts the items by `index`, which Google's JSON leaves out if it is 0. If a vendor numbers all items alike, or none,
 * their order stands. null: indexes that match no order.
 */
function inOrder(data: JsonObject[]): JsonObject[] | null {
  const byIndex = new Map(data.map((item) => [Number(item.index ?? 0), item]));
  if (byIndex.size === 1) {
    return data;
  }
  const ordered = data.map((_, index) => byIndex.get(index)).filter((item) => item !== undefined);
  return ordered.length === data.length ? ordered : null;
}

/**
 * The upstream's count; Voyage names only the total. An input is never empty, so 0 (some local servers) means no count.
 */
function countInput(usage: unknown, request: EmbeddingsRequest): CountedUsage {
  const tokens = isJsonObject(usage) ? readCount(usage.prompt_tokens) || readCount(usage.total_tokens) : null;
  return {
    usage: estimatedUsage({ input: tokens || request.inputTokens, output: 0, reasoning: 0 }),
    source: tokens ? "upstream" : "estimated",
  };
}

function printVector(vector: Vector): string {
  if (typeof vector === "object" && "written" in vector) {
    return vector.written;
  }
  // Typed arrays would print as objects.
  return JSON.stringify(typeof vector === "string" || Array.isArray(vector) ? vector : Array.from(vector));
}

type EmbeddingItem = { fields: JsonObject; vector: Vector };

/** `rest`: the text of the item's other members, without its closing brace. */
type PrintedItem = { rest: string; vector: Vector };

/** An object's text without its closing brace; `value` has at least one member. */
const openObject = (value: JsonObject) => JSON.stringify(value).slice(0, -1);

function* print(start: string, items: PrintedItem[]): Generator<string> {
  yield `${start},"data":[`;
  for (const [index, { rest, vector }] of items.entries()) {
    yield `${index === 0 ? "" : ","}${rest},"embedding":${printVector(vector)}}`;
  }
  yield "]}";
}

/**
 * The client's body for an upstream's answer (spec 2.4): vectors in order and in the encoding that the client asked
 * for, the public model name, and counts whose total is the input. Keeps a vendor's own fields. null: malformed. Throws
 * RangeError for fields that are nested too deep to print: `body`, which is printed after the charge, throws nothing.
 * Yields after each vector, and so does `body`: the largest possible call (2,048 x 1,536 numbers) would block a process
 * for 640 ms.
 */
export function* readEmbeddings(
  answer: unknown,
  request: Asked,
): Generator<void, (CountedUsage & { body: Iterable<string> }) | null> {
  const read = yield* readItems(answer, request);
  if (read === null) {
    return null;
  }
  const { vendorAnswer, items: found, ...counted } = read;
  const tokens = counted.usage.inputTokens;
  const vendorUsage = isJsonObject(vendorAnswer.usage) ? vendorAnswer.usage : {};
  const usage = { ...vendorUsage, prompt_tokens: tokens, total_tokens: tokens };
  const own = { object: "list", model: request.model, usage, data: undefined };
  const start = openObject({ ...vendorAnswer, ...own });
  const items: PrintedItem[] = [];
  for (const [index, { fields, vector }] of found.entries()) {
    const rest = openObject({ ...fields, object: "embedding", index, embedding: undefined });
    items.push({ rest, vector });
    yield;
  }
  return { ...counted, body: print(start, items) };
}

/** Reads only the vectors, each as JSON text, in order. null: malformed. */
export function* readVectors(
  answer: unknown,
  request: Asked,
): Generator<void, (CountedUsage & { vectors: Iterable<string> }) | null> {
  const read = yield* readItems(answer, request);
  if (read === null) {
    return null;
  }
  const { usage, source, items } = read;
  return { usage, source, vectors: printAll(items) };
}

function* printAll(items: EmbeddingItem[]): Generator<string> {
  for (const { vector } of items) {
    yield printVector(vector);
  }
}

function* readItems(
  answer: unknown,
  request: Asked,
): Generator<void, (CountedUsage & { vendorAnswer: JsonObject; items: EmbeddingItem[] }) | null> {
  if (!isJsonObject(answer) || !Array.isArray(answer.data) || !answer.data.every(isJsonObject)) {
    return null;
  }
  const ordered = answer.data.length === request.items ? inOrder(answer.data) : null;
  if (ordered === null) {
    return null;
  }
  const items: EmbeddingItem[] = [];
  for (const fields of ordered) {
    const vector = convert(fields.embedding, request);
    if (vector === null) {
      return null;
    }
    items.push({ fields, vector });
    yield;
  }
  return { ...countInput(answer.usage, request), vendorAnswer: answer, items };
}
