/** What a recording of embeddings says, read without any of the server's code. */
import { blame } from "./chat-oracle";
import type { JsonObject, Recording } from "./corpus";
import { malformed, type Refused, refusedAs } from "./envelope";
import { fields, list, string } from "./json";
import { at } from "./usage";

export type EmbeddingsReading =
  /** Vectors in the order of what was embedded. */
  { kind: "answer"; vectors: number[][]; tokens: number } | { kind: "refused"; refused: Refused };

/** The lengths of vector that vendors document. Base64 does not say what its numbers are: the length of each tells. */
const documentedLengths: Record<string, number> = {
  "intfloat/e5-mistral-7b-instruct": 4_096,
  "voyage-3-lite": 512,
  "voyage-3.5": 1_024,
  "voyage-4": 1_024,
};

/** The numbers in base64, of as many bytes each as make `length` of them. */
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

export function readEmbeddings({ status, body, request }: Recording): EmbeddingsReading {
  const answer = fields(JSON.parse(body.toString("utf8")));
  if (status >= 400) {
    return { kind: "refused", refused: refusedAs(blame(status), string(at(answer, "error", "message"))) };
  }
  const items = list(answer.data);
  const isWhole = items.length > 0 && items.every((item) => "embedding" in item);
  if (!isWhole) {
    return { kind: "refused", refused: malformed };
  }
  const ordered = items.toSorted((one, other) => Number(one.index) - Number(other.index));
  const { prompt_tokens: prompt, total_tokens: total } = fields(answer.usage);
  return {
    kind: "answer",
    vectors: ordered.map((item) => readVector(item, request)),
    // Voyage names the total alone.
    tokens: Number(prompt ?? total),
  };
}
