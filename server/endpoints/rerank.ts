import { z } from "zod";
import { errorMessages } from "@/server/base/error-messages";
import { both } from "@/server/base/language";
import { isJsonObject, type JsonObject, textOf } from "@/server/protocol/fields";
import {
  type BillableParts,
  type ForwardedReader,
  type KnownForwarded,
  mostAsAsked,
  usageOf,
} from "@/server/protocol/forwarded/forwarded";
import { refuse } from "@/server/protocol/json/object";
import { countTokens } from "@/server/protocol/usage/estimate";
import { readCount, readPieces } from "@/server/protocol/usage/usage";
import { buys, type Forwarded } from "./endpoint";
import { anything, integer, listOf, modelName, nonEmpty, number, object, text } from "./schema";

/** Cohere's limit; others have less. */
const MOST_DOCUMENTS = 1_000;

/** A search unit is a query with up to 100 documents; a long document counts once for each of its chunks. */
const CHUNKS_A_UNIT = 100;
const TOKENS_A_CHUNK = 500;

const schema = z.looseObject({
  model: modelName,
  query: nonEmpty,
  documents: z
    .array(z.union([z.string(), z.looseObject({}).meta({ minProperties: 1 })]))
    .min(1)
    .max(MOST_DOCUMENTS),
});

const answerSchema = object({
  model: text,
  results: listOf(object({ index: integer, relevance_score: number })),
  usage: anything,
});

const isDocument = (value: unknown) =>
  typeof value === "string" || (isJsonObject(value) && Object.keys(value).length > 0);

function check({ query, documents }: JsonObject): { query: string; documents: unknown[] } {
  if (typeof query !== "string" || query === "") {
    throw refuse(errorMessages.mustBeNonEmptyText("query"));
  }
  if (!Array.isArray(documents) || documents.length === 0 || !documents.every(isDocument)) {
    throw refuse(errorMessages.rerankDocuments());
  }
  if (documents.length > MOST_DOCUMENTS) {
    throw refuse(errorMessages.mostItems("documents", MOST_DOCUMENTS));
  }
  return { query, documents };
}

const wordsOf = (document: unknown): string =>
  typeof document === "string" ? document : textOf((document as JsonObject).text) || JSON.stringify(document);

/** Counts tokens and search units. The model reads the query with each document. */
function read(fields: JsonObject): BillableParts {
  const { query, documents } = check(fields);
  const queryTokens = countTokens(query);
  const lengths = documents.map((document) => countTokens(wordsOf(document)));
  const chunks = lengths.reduce(
    (sum, length) => sum + Math.max(1, Math.ceil((queryTokens + length) / TOKENS_A_CHUNK)),
    0,
  );
  return {
    tokens: Math.ceil(lengths.reduce((sum, length) => sum + queryTokens + length, 0)),
    units: { rerank: Math.ceil(chunks / CHUNKS_A_UNIT) },
  };
}

const memberOf = (value: unknown, name: string): unknown => (isJsonObject(value) ? value[name] : undefined);

const isResult = (value: unknown): value is JsonObject =>
  isJsonObject(value) && Number.isInteger(value.index) && typeof value.relevance_score === "number";

/**
 * POST /v1/rerank, in Cohere's form and Jina's, which differ only in what they count: search units, or tokens. The
 * answer has the members of both.
 */
export const rerank = {
  ...buys({
    id: "rerank",
    name: "rerank",
    path: "/v1/rerank",
    tag: "media",
    summary: both("按与问题的相关度排序文档", "Rank documents by relevance to a query"),
    json: { name: "RerankRequest", schema, passed: ["top_n"] },
    answers: [{ status: 200, schema: { name: "Rerank", schema: answerSchema } }],
  }),
  kind: "rerank",
  example: { body: { query: "What floats?", documents: ["A stone sinks.", "A paper boat floats."] } },
  read,
  ceiling: mostAsAsked,
  readAnswer: (answer: JsonObject, { billableParts, model }: KnownForwarded) => {
    // Voyage's name for it.
    const results = answer.results ?? answer.data;
    if (!Array.isArray(results) || !results.every(isResult)) {
      return null;
    }
    const billed = memberOf(answer.meta, "billed_units");
    const units = readPieces(memberOf(billed, "search_units"));
    const tokens =
      readCount(memberOf(answer.usage, "total_tokens")) ||
      readCount(memberOf(billed, "input_tokens")) ||
      null;
    const body = {
      ...answer,
      id: answer.id ?? null,
      model,
      results,
      usage: isJsonObject(answer.usage) ? answer.usage : { total_tokens: tokens ?? billableParts.tokens },
    };
    return {
      usage: usageOf(
        { input: tokens ?? billableParts.tokens, output: 0 },
        units === null ? billableParts.units : { rerank: units },
      ),
      source: units !== null || tokens !== null ? "upstream" : "estimated",
      body,
    };
  },
} as const satisfies Forwarded & ForwardedReader;
