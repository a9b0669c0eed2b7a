import { errorMessages } from "@/server/base/error-messages";
import { countTokens } from "../estimate";
import { isJsonObject, type JsonObject, textOf } from "../fields";
import { refuse } from "../json-object";
import { readCount, readPieces } from "../usage";
import { type BillableParts, type ForwardedEndpoint, mostAsAsked, usageOf } from "./forwarded";

/** Cohere's limit; others have less. */
const MOST_DOCUMENTS = 1_000;

/** A search unit is a query with up to 100 documents; a long document counts once for each of its chunks. */
const CHUNKS_A_UNIT = 100;
const TOKENS_A_CHUNK = 500;

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
export const rerank: ForwardedEndpoint = {
  read,
  ceiling: mostAsAsked,
  readAnswer: (answer, { billableParts, model }) => {
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
};
