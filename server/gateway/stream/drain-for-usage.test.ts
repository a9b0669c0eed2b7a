import { afterEach, expect, test, vi } from "vitest";
import { ChatReader } from "@/server/protocol/chat/reader";
import { ChatWriter } from "@/server/protocol/chat/writer";
import { joinStream } from "@/server/protocol/client-answer";
import type { EventGroup } from "@/server/protocol/sse";
import { chunk, context, finished } from "@/tests/support/counted-answers";
import { drainForUsage } from "./drain-for-usage";
import { createEventGroups } from "./event-groups";

afterEach(() => {
  vi.useRealTimers();
});

/** An upstream that sends nothing more. */
async function* silence(): AsyncGenerator<EventGroup> {
  await new Promise(() => {});
  yield { events: [], isAlive: false };
}

/** An answer that has finished without its counts. */
function hangUp(): { isOver: boolean } {
  const stream = joinStream(new ChatReader(context), new ChatWriter({ wantsUsage: false }));
  stream.push(JSON.stringify(chunk({ choices: [finished] })));
  const reading = { isOver: false };
  void drainForUsage(stream, createEventGroups(silence())).then(() => {
    reading.isOver = true;
  });
  return reading;
}

test("answers that nobody waits for are read on up to a number of them: what is beyond is cut off at once", async () => {
  vi.useFakeTimers();
  const first = Array.from({ length: 200 }, hangUp);
  const beyond = hangUp();
  await vi.advanceTimersByTimeAsync(100);
  expect([first.some(({ isOver }) => isOver), beyond.isOver]).toEqual([false, true]);
  await vi.advanceTimersByTimeAsync(3_000);
  expect(first.every(({ isOver }) => isOver)).toBe(true);
  const next = hangUp();
  await vi.advanceTimersByTimeAsync(100);
  expect(next.isOver).toBe(false);
  await vi.advanceTimersByTimeAsync(3_000);
});
