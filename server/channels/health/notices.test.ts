import { expect, test } from "vitest";
import type { ChannelId } from "@/server/domain/ids";
import { branded } from "@/tests/support/branded";
import { type AttemptEvent, NO_PROBE } from "./events";
import { packNotices, readNotice } from "./notices";

const sighting = (message: string | null, accountId = "acc_1"): AttemptEvent => ({
  ...{ channelId: branded<ChannelId>("chn_1"), name: "first", version: "7", operation: "chat" },
  ...{ kind: "attempt", credential: 0, accountId, isCounted: true, count: 1, probed: NO_PROBE },
  ...{ at: 1_780_000_000_000, elapsedMs: 20 },
  outcome: message === null ? "ok" : { reason: "refused", status: 503, retryAfterMs: null, message },
});

test("this release reads an earlier release's notices, and an earlier release reads successes and faults in the members that it knows", () => {
  const oldSighting = {
    ...{
      channelId: "chn_1",
      name: "first",
      version: "7",
      operation: "chat",
      credential: 0,
      accountId: "acc_1",
    },
    ...{ isCounted: false, isStreamEnd: true, oks: 0, at: 1_780_000_000_000 },
    fault: { reason: "broken", status: 200, retryAfterMs: null, message: "cut" },
  };
  const [event] = readNotice("proc_2", JSON.stringify({ from: "proc_1", seen: [oldSighting] })) ?? [];
  expect(event).toMatchObject({
    kind: "streamEnd",
    outcome: oldSighting.fault,
    elapsedMs: 0,
    isCounted: false,
  });
  const quiet = { ...sighting(null), outcome: "unanswered" } as const;
  const [notice] = packNotices("proc_1", event ? [event, quiet] : []);
  expect(JSON.parse(notice ?? "")).toMatchObject({ seen: [oldSighting], quiet: [{ outcome: "unanswered" }] });
  expect(readNotice("proc_2", notice ?? "")).toEqual([event, quiet]);
});

test("other processes read a notice's events in order, and the sender ignores its own notice", () => {
  const events = [sighting("503 down"), sighting(null), sighting("“quoted”\n")];
  const [notice, ...more] = packNotices("proc_1", events);
  expect(more).toEqual([]);
  expect(readNotice("proc_2", notice ?? "")).toEqual(events);
  expect(readNotice("proc_1", notice ?? "")).toBeNull();
});

test("no notice is longer than PostgreSQL accepts, whatever an upstream says", () => {
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
])("a process ignores a notice with unknown content: %s", (text) =>
  expect(readNotice("proc_2", text)).toBeNull(),
);
