import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { loadConfig } from "@/server/base/config";
import type { Want } from "@/server/domain/shares";
import { answerWants } from "./answer-wants";
import { createCommonPools } from "./common-pools";
import type { ToChild } from "./messages";

const want: Want = { holder: { id: "key", most: 1 }, account: { id: "account", most: null }, amount: 1 };
const place = { pool: "calls" as const, want };
const refusal = { by: "holder", hasSome: true };

/** Two processes; `first` has the key's only place. */
function createServer() {
  const pools = createCommonPools(loadConfig({}));
  expect(pools.take("first", place)).toBeNull();
  const sent: ToChild[] = [];
  const second = (isThere: boolean) => ({
    name: "second",
    send: (message: ToChild) => isThere && sent.push(message) > 0,
  });
  return { pools, sent, second };
}

test("a place whose return is read in the same turn of the event loop is granted", async () => {
  const { pools, sent, second } = createServer();
  answerWants(pools, second(true), [[7, "calls", want]]);
  pools.give("first", place);
  expect(sent).toEqual([]);
  await nextTurn();
  expect(sent).toEqual([{ kind: "answers", answers: [[7, null]] }]);
});

test("a place that stays taken is refused, and a free one is granted at once", async () => {
  const { pools, sent, second } = createServer();
  const other: Want = { ...want, holder: { id: "other", most: 1 } };
  answerWants(pools, second(true), [
    [7, "calls", want],
    [8, "calls", other],
  ]);
  expect(sent).toEqual([{ kind: "answers", answers: [[8, null]] }]);
  await nextTurn();
  expect(sent.slice(1)).toEqual([{ kind: "answers", answers: [[7, refusal]] }]);
});

test("what a process was granted that is gone by then is free again", async () => {
  const { pools, second } = createServer();
  answerWants(pools, second(false), [[7, "calls", want]]);
  pools.give("first", place);
  await nextTurn();
  expect(pools.take("third", place)).toBeNull();
});
