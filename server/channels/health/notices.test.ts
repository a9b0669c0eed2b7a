import { expect, test } from "vitest";
import type { ChannelId } from "@/server/base/ids";
import { madeUp } from "@/tests/support/made-up";
import type { HealthEvent } from "./health-events";
import { packNotices, readNotice } from "./notices";

const sighting = (message: string | null, accountId = "acc_1"): HealthEvent => ({
  ...{ channelId: madeUp<ChannelId>("chn_1"), name: "first", version: "7", operation: "chat" },
  ...{ credential: 0, accountId, isCounted: true, isStreamEnd: false },
  oks: message === null ? 1 : 0,
  at: 1_780_000_000_000,
  fault: message === null ? null : { reason: "refused", status: 503, retryAfterMs: null, message },
});

test("what is told is what the others read, in order, and not what is told by oneself", () => {
  const events = [sighting("503 down"), sighting(null), sighting("“quoted”\n")];
  const [notice, ...more] = packNotices("proc_1", events);
  expect(more).toEqual([]);
  expect(readNotice("proc_2", notice ?? "")).toEqual(events);
  expect(readNotice("proc_1", notice ?? "")).toBeNull();
});

test("no notice is longer than PostgreSQL takes, whatever an upstream says", () => {
  const events = Array.from({ length: 300 }, (_, at) => sighting("\u0001語".repeat(2_000), `acc_${at}`));
  const notices = packNotices("proc_1", events);
  for (const notice of notices) {
    expect(Buffer.byteLength(notice)).toBeLessThan(8_000);
  }
  const read = notices.flatMap((notice) => readNotice("proc_2", notice) ?? []);
  expect(read.map(({ accountId }) => accountId)).toEqual(events.map(({ accountId }) => accountId));
});

test.each([
  ...["", "nonsense", "{}"],
  ...['{"from":"proc_1","seen":[{}]}', '{"from":"proc_1","seen":[{"operation":"new"}]}'],
])("what this release does not know is left out: %s", (text) =>
  expect(readNotice("proc_2", text)).toBeNull(),
);
