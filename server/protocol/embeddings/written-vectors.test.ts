import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { atOnce } from "@/server/base/turns";
import { cpuTimeMs } from "@/tests/support/cpu-time";
import { readEmbeddings } from "./answer";
import { parseEmbeddingsRequest } from "./request";
import { areItems, takeVectors } from "./written-vectors";

const request = (items: number) =>
  parseEmbeddingsRequest(JSON.stringify({ model: "public", input: Array(items).fill("a") }));

const read = (answer: unknown, items: number, written?: string[]) => {
  const result = atOnce(readEmbeddings(answer, { ...request(items), ...(written && { written }) }));
  return result && { ...result, body: [...result.body].join("") };
};

/** The client's body by both ways. `asWritten` null: the vectors have to be parsed. */
function bothWays(text: string, items: number) {
  const vectorsTaken = atOnce(takeVectors(text));
  const answer = vectorsTaken && JSON.parse(vectorsTaken.rest);
  return {
    parsed: read(JSON.parse(text), items),
    asWritten:
      vectorsTaken && areItems(answer, vectorsTaken) ? read(answer, items, vectorsTaken.vectors) : null,
  };
}

const number = fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e20, max: 1e20 });
const vector = fc.array(number, { minLength: 1, maxLength: 600 });

test("an answer with vectors taken as they are written equals the answer with parsed vectors", () => {
  fc.assert(
    fc.property(
      fc.array(vector, { minLength: 1, maxLength: 4 }),
      fc.constantFrom(0, 1),
      (vectors, spaces) => {
        const data = vectors.map((embedding, index) => ({ object: "embedding", index, embedding }));
        const text = JSON.stringify(
          { object: "list", id: "e", data: data.toReversed(), model: "up", usage: { prompt_tokens: 3 } },
          null,
          spaces,
        );
        const { parsed, asWritten } = bothWays(text, vectors.length);
        expect(JSON.parse(asWritten?.body ?? "")).toEqual(JSON.parse(parsed?.body ?? ""));
        expect({ ...asWritten, body: "" }).toEqual({ ...parsed, body: "" });
      },
    ),
    { numRuns: 50 },
  );
});

test("a compact answer is the same text, with parsed vectors or as they are written", () => {
  const data = [
    [0.5, -1.25, 3],
    [1e-7, 0],
  ].map((embedding, index) => ({ object: "embedding", index, embedding }));
  const { parsed, asWritten } = bothWays(JSON.stringify({ data, model: "up" }), 2);
  expect(asWritten?.body).toBe(parsed?.body);
});

test("many numbers with blanks between them are taken", () => {
  const text = `{"data":[{"index":0,"embedding":[${Array(600).fill("0.5").join(", ")}]}],"model":"up"}`;
  const { parsed, asWritten } = bothWays(text, 1);
  expect(JSON.parse(asWritten?.body ?? "")).toEqual(JSON.parse(parsed?.body ?? ""));
});

describe("vectors are parsed", () => {
  const item = (embedding: string) => `{"object":"embedding","index":0,"embedding":${embedding}}`;
  test.each<[what: string, text: string]>([
    ["that are base64", `{"data":[${item('"AAAAPw=="')}]}`],
    ["that are empty", `{"data":[${item("[]")}]}`],
    ["with a malformed number", `{"data":[${item("[1.2.3]")}]}`],
    ["with a number that is too large", `{"data":[${item("[1e999]")}]}`],
    ["with a leading zero", `{"data":[${item("[01]")}]}`],
    ["with a hole", `{"data":[${item("[1,null]")}]}`],
    ["with a comma at the end", `{"data":[${item("[1,]")}]}`],
    ["with lists in them", `{"data":[${item("[[1],[2]]")}]}`],
    ["that break off", `{"data":[${item("[1,2")}`],
    ["if there are others outside of the items", `{"extra":{"embedding":[7]},"data":[${item("[1]")}]}`],
    [
      "if a name has escapes, and others have none",
      `{"data":[{"embe\\u0064ding":[0],"more":{"embedding":[7]}}]}`,
    ],
    ["if an item has two", `{"data":[{"embedding":[1],"embedding":[2]}]}`],
    [
      "except if another name only ends like theirs",
      `{"data":[{"\\"embedding":[1],"embedding":[2]}],"x":[]}`,
    ],
    ["if an item has none", `{"data":[${item("[1]")},{"index":1}]}`],
  ])("%s", (what, text) => {
    const vectorsTaken = atOnce(takeVectors(text));
    const isTaken = vectorsTaken !== null && areItems(JSON.parse(vectorsTaken.rest), vectorsTaken);
    // The name with a quote in it is another member, and stays as it is.
    expect(isTaken).toBe(what.startsWith("except if another name only"));
  });
});

test("taking many vectors as they are written is faster than parsing them", () => {
  const embedding = Array.from({ length: 1_536 }, (_, at) => Math.sin(at + 1) / 9);
  const data = Array.from({ length: 200 }, (_, index) => ({ object: "embedding", index, embedding }));
  const text = JSON.stringify({ data, model: "up" });
  const timed = (work: () => unknown) => {
    work();
    const started = cpuTimeMs();
    work();
    return cpuTimeMs() - started;
  };
  const parsedMs = timed(() => read(JSON.parse(text), 200));
  const writtenMs = timed(() => {
    const vectorsTaken = atOnce(takeVectors(text));
    return vectorsTaken && read(JSON.parse(vectorsTaken.rest), 200, vectorsTaken.vectors);
  });
  // Measured: a fifth.
  expect(writtenMs).toBeLessThan(parsedMs);
});
