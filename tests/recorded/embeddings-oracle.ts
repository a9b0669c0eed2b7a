/** Reads a recording of embeddings without any of the server's code. */
import type { JsonObject, Recording } from "./corpus";
import { fields, list, string } from "./json";

/**
 * The vector lengths in vendors' documentation. Base64 does not contain the size of its numbers; the length tells it.
 */
const documentedLengths: Record<string, number> = {
  "intfloat/e5-mistral-7b-instruct": 4_096,
  "voyage-3-lite": 512,
  "voyage-3.5": 1_024,
  "voyage-4": 1_024,
};

/** The numbers in base64. Their size is the number of bytes divided by `length`. */
function decode(text: string, length: number): number[] {
  const bytes = Buffer.from(text, "base64");
  const at = (size: number) => Array.from({ length }, (_, index) => index * size);
  switch (bytes.length / length) {
    case 1:
      return at(1).map((place) => bytes.readInt8(place));
    case 4:
      return at(4).map((place) => bytes.readFloatLE(place));
    case 8:
      return at(8).map((place) => bytes.readDoubleLE(place));
    default:
      throw new TypeError(`${bytes.length} bytes are not ${length} numbers`);
  }
}

function readVector({ embedding }: JsonObject, request: JsonObject): number[] {
  if (Array.isArray(embedding)) {
    return embedding.map(Number);
  }
  const length = request.dimensions ?? documentedLengths[string(request.model)];
  return decode(string(embedding), Number(length));
}

/** The vectors in the order of the inputs, and the tokens of the input. null: the answer has no embeddings. */
export function recordedEmbeddings({ body, request }: Recording) {
  const answer = fields(JSON.parse(body.toString("utf8")));
  const items = list(answer.data);
  if (items.length === 0 || !items.every((item) => "embedding" in item)) {
    return null;
  }
  const ordered = items.toSorted((a, b) => Number(a.index) - Number(b.index));
  const { prompt_tokens: prompt, total_tokens: total } = fields(answer.usage);
  // Voyage reports only the total.
  return { vectors: ordered.map((item) => readVector(item, request)), tokens: Number(prompt ?? total) };
}
