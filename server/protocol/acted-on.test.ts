import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { refuseAmbiguous } from "./acted-on";

const ROOMS = ["chat", "messages", "responses", "embeddings"];
/** What reads answers, which no client writes. */
const OF_ANSWERS =
  /(?:answer|reader|writer|stream|ending|normalise|tool-calls|usage|answer-in|stream-in|output-so-far|-out)\.ts$/;

/** Read in what is the client's own (`metadata`), or no member of a request. */
const NOT_ACTED_ON = new Set(["user_id", "content_block", "finish_reason", "partial_json", "stop_reason"]);

const sources = ROOMS.flatMap((room) => {
  const folder = join(import.meta.dirname, room);
  return readdirSync(folder).map((name) => join(folder, name));
})
  .concat(
    ["estimate.ts", "conversations.ts", "standard-terms.ts"].map((name) => join(import.meta.dirname, name)),
  )
  .filter((path) => !path.endsWith(".test.ts") && !OF_ANSWERS.test(path));

const isGuarded = (name: string) => {
  try {
    refuseAmbiguous(name.toUpperCase(), { isRepeated: false, isEscaped: false });
    return false;
  } catch {
    return true;
  }
};

test("every member that the code reads of a request is guarded", () => {
  // Only the vendors' names have an underscore in this code.
  const read = sources.flatMap(
    (path) => readFileSync(path, "utf8").match(/(?<=\.)[a-z]+(?:_[a-z]+)+\b/g) ?? [],
  );
  expect(read.length).toBeGreaterThan(50);
  const unguarded = read.filter((name) => !isGuarded(name) && !NOT_ACTED_ON.has(name));
  expect([...new Set(unguarded)]).toEqual([]);
});
