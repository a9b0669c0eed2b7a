import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readJsonText } from "./json/text";
import { refuseAmbiguous } from "./known-fields";

const ROOMS = ["chat", "messages", "responses", "embeddings", "completions"];
/** Files that read answers, which no client writes. */
const OF_ANSWERS =
  /(?:answer|reader|writer|stream|ending|normalise|tool-calls|usage|answer-in|stream-in|output-so-far|complete|-out)\.ts$/;

/** Members in the client's own data (`metadata`), or of no request. */
const NOT_ACTED_ON = new Set([
  ...["user_id", "content_block", "finish_reason", "partial_json", "stop_reason"],
  // A word in a value of `include`.
  "input_image",
]);

const sources = ROOMS.flatMap((room) => {
  const folder = join(import.meta.dirname, room);
  return readdirSync(folder).map((name) => join(folder, name));
})
  .concat(
    ["usage/estimate.ts", "plan-conversation.ts", "usage/standard-terms.ts"].map((name) =>
      join(import.meta.dirname, name),
    ),
  )
  .filter((path) => !path.endsWith(".test.ts") && !OF_ANSWERS.test(path));

const refuses = (name: string) => {
  try {
    refuseAmbiguous(name, { isRepeated: false, isEscaped: false });
    return false;
  } catch {
    return true;
  }
};

test("every member that the code reads of a request is protected from ambiguous spellings", () => {
  // In this code only the vendors' names have an underscore.
  const read = sources.flatMap(
    (path) => readFileSync(path, "utf8").match(/(?<=\.)[a-z]+(?:_[a-z]+)+\b/g) ?? [],
  );
  expect(read.length).toBeGreaterThan(50);
  const unguarded = read.filter((name) => !refuses(name.toUpperCase()) && !NOT_ACTED_ON.has(name));
  expect([...new Set(unguarded)]).toEqual([]);
});

test.each(["size", "quality", "n", "batch_size", "query", "documents", "search_parameters"])(
  "members that decide the price of pictures, reranks and searches are protected: %s",
  (name) => {
    expect([name, name.toUpperCase()].map(refuses)).toEqual([false, true]);
  },
);

test.each([
  ["generationConfig", "generation_config"],
  ["maxOutputTokens", "max_output_tokens"],
  ["candidateCount", "candidate_count"],
  ["responseModalities", "response_modalities"],
  ["cachedContent", "cached_content"],
])("Google's names have two spellings, and every other one is refused: %s", (first, second) => {
  const others = [first.toLowerCase(), first.toUpperCase(), second.toUpperCase()];
  expect([first, second].map(refuses)).toEqual([false, false]);
  expect(others.map(refuses)).toEqual([true, true, true]);
});

test.each([
  '{"generationConfig":{"maxOutputTokens":1,"maxOutputTokens":9000}}',
  '{"contents":[],"Contents":[]}',
])("%s is refused, because two parsers could read different members", (raw) => {
  expect(() => readJsonText(raw)).toThrow(expect.objectContaining({ kind: "invalidParameters" }));
});

test("the arguments of a client's function may have any names", () => {
  const args = '{"size":1,"Size":2,"id":1,"ID":2}';
  const raw = `{"contents":[{"parts":[{"functionCall":{"name":"f","args":${args}}}]}]}`;
  expect(readJsonText(raw).fields).toHaveProperty("contents");
});

test.each([
  "Seed",
  "LOGIT_BIAS",
  "Verbosity",
  "frequencypenalty",
  "Prompt_Cache_Key",
  "Truncation",
  "User_Id",
])("another spelling of a hint goes to the upstream, because a hint changes no price: %s", (name) => {
  expect(readJsonText(`{"${name}":1}`).fields).toHaveProperty(name);
  expect(readJsonText(`{"\\u00${name.charCodeAt(0).toString(16)}${name.slice(1)}":1}`).fields).toHaveProperty(
    name,
  );
});

test.each(["Temperature", "Service_Tier", "Metadata", "N", "Top_P"])(
  "%s is no hint, and is refused",
  (name) => {
    expect(refuses(name)).toBe(true);
  },
);
