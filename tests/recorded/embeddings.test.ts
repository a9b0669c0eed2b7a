import { describe, expect, test } from "vitest";
import { atOnce } from "@/server/base/turns";
import { readEmbeddings } from "@/server/protocol/embeddings/answer";
import { parseEmbeddingsRequest } from "@/server/protocol/embeddings/request";
import { type JsonObject, loadRecording, type RecordedExchange, type Recording } from "./corpus";
import { recordedEmbeddings } from "./embeddings-oracle";
import { checkNamed, recordedSuite, rowsOf } from "./suite";

/** Recorded requests that are not valid in the dialect, and why. They are corrected for their answers. */
const notOfTheDialect: Record<string, string> = {
  "ollama/embeddings_json_ollama_embeddings_legacy": "Ollama's own endpoint: `prompt` where `input` belongs",
  "openai/embeddings_json_embeddings_bad_request": "an encoding_format that is none",
};

/** Answers without embeddings of the dialect, and why. */
const notEmbeddings: Record<string, string> = {
  "ollama/embeddings_json_ollama_embeddings_legacy": "Ollama's own endpoint: one bare vector, and no list",
  "openai/embeddings_json_usage_embeddings": "a page of usage figures, filed under embeddings",
};

const parse = (request: JsonObject) =>
  parseEmbeddingsRequest(JSON.stringify({ ...request, model: "public" }));

/** The request of a recording in the client's dialect, without the encoding. */
function corrected({ request }: Recording): JsonObject {
  const { encoding_format: _format, prompt, ...rest } = request;
  return prompt === undefined ? rest : { ...rest, input: prompt };
}

/** The numbers of a vector in a client's answer: an array, or the dialect's base64. */
function numbersOf(embedding: number[] | string): number[] {
  if (typeof embedding !== "string") {
    return embedding;
  }
  const bytes = Buffer.from(embedding, "base64");
  return Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4));
}

const asFloat32 = (vectors: number[][]) => vectors.map((vector) => vector.map(Math.fround));

type EmbeddingsAnswer = {
  object: string;
  model: string;
  data: { object: string; index: number; embedding: number[] | string }[];
};

function check(exchange: RecordedExchange, encoding_format: "float" | "base64"): void {
  const recording = loadRecording(exchange);
  const answered = JSON.parse(recording.body.toString("utf8")) as unknown;
  const read = atOnce(readEmbeddings(answered, parse({ ...corrected(recording), encoding_format })));
  const recorded = recordedEmbeddings(recording);
  if (recorded === null || read === null) {
    expect([recorded, read]).toEqual([null, null]);
    return;
  }
  expect(read).toMatchObject({ source: "upstream", usage: { inputTokens: recorded.tokens } });
  const { object, model, data, ...rest } = JSON.parse([...read.body].join("")) as EmbeddingsAnswer;
  expect([object, model]).toEqual(["list", "public"]);
  expect(rest).toMatchObject({ usage: { prompt_tokens: recorded.tokens, total_tokens: recorded.tokens } });
  expect(data.map(({ index }) => index)).toEqual(recorded.vectors.map((_, index) => index));
  for (const { object: kind, embedding } of data) {
    expect([kind, typeof embedding === "string"]).toEqual(["embedding", encoding_format === "base64"]);
  }
  expect(asFloat32(data.map(({ embedding }) => numbersOf(embedding)))).toEqual(asFloat32(recorded.vectors));
}

recordedSuite(["openai.embeddings"], (exchanges) => {
  const answered = exchanges.filter(({ status }) => status < 400);

  describe.each(["float", "base64"] as const)(
    "recorded embeddings are the same numbers as %s",
    (encoding) => {
      test.each(rowsOf(answered))("$dir", ({ exchange }) => check(exchange, encoding));
    },
  );

  test("a request that is invalid in the dialect is refused for a listed reason", () => {
    const refused = exchanges.filter((exchange) => {
      try {
        parse(loadRecording(exchange).request);
        return false;
      } catch {
        return true;
      }
    });
    checkNamed("refused", refused, notOfTheDialect);
  });

  test("an answer without embeddings is listed with its reason", () => {
    const none = answered.filter((exchange) => recordedEmbeddings(loadRecording(exchange)) === null);
    checkNamed("no embeddings", none, notEmbeddings);
  });
});
