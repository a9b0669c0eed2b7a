import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { joinStream } from "@/server/protocol/answers/client-answer";
import type { EventGroup } from "@/server/protocol/answers/sse";
import { ChatReader } from "@/server/protocol/chat/reader";
import { ChatWriter } from "@/server/protocol/chat/writer";
import { chunk, context, finished } from "@/tests/support/counted-answers";
import { virtualTimers } from "@/tests/support/virtual-clock";
import { drainForUsage } from "./drain-for-usage";
import { createEventGroups } from "./event-groups";

/** An upstream that sends nothing more. */
async function* silence(): AsyncGenerator<EventGroup> {
  await new Promise(() => {});
  yield { events: [], isAlive: false };
}

test("the gateway reads a limited number of abandoned answers to their end, and cuts off the others at once", async () => {
  const timers = virtualTimers();
  /** An answer that has finished without its counts. */
  const hangUp = () => {
    const stream = joinStream(new ChatReader(context), new ChatWriter({ wantsUsage: false }));
    stream.push(JSON.stringify(chunk({ choices: [finished] })));
    const reading = { isOver: false };
    void drainForUsage(stream, createEventGroups(silence(), timers)).then(() => {
      reading.isOver = true;
    });
    return reading;
  };
  const pass = async (ms: number) => {
    timers.advance(ms);
    // The sockets are read once more before a deadline acts.
    await nextTurn();
    await nextTurn();
  };
  const first = Array.from({ length: 200 }, hangUp);
  const beyond = hangUp();
  await pass(100);
  expect([first.some(({ isOver }) => isOver), beyond.isOver]).toEqual([false, true]);
  await pass(3_000);
  expect(first.every(({ isOver }) => isOver)).toBe(true);
  const next = hangUp();
  await pass(100);
  expect(next.isOver).toBe(false);
  await pass(3_000);
  expect(next.isOver).toBe(true);
});
