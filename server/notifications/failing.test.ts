import { describe, expect, test } from "vitest";
import type { AlikeAttempts } from "@/server/calls";
import { madeUp } from "@/tests/support/made-up";
import { judge, type Lately, nextOf } from "./failing";

const at = (minute: number) => new Date(Date.UTC(2026, 10, 26, 12, minute));
const alike = (change: Partial<AlikeAttempts>): AlikeAttempts => ({
  ...{ accountId: madeUp("acc_1"), outcome: "refused", status: 503, recent: 6, since: at(5) },
  lastAt: at(9),
  ...change,
});
const other = { accountId: madeUp<AlikeAttempts["accountId"]>("acc_2") };
const ok = (recent: number, whose = {}) => alike({ outcome: "ok", status: 200, recent, ...whose });

describe("of a channel's attempts count", () => {
  test("those that went well, and those that say something against it, whoever made the call", () => {
    const attempts = [
      ok(3, other),
      alike({ since: at(6), lastAt: at(7) }),
      alike({ outcome: "unreachable", status: null }),
    ];
    expect(judge(attempts)).toEqual({
      ...{ attempts: 15, failed: 12, accounts: 1, since: at(5), status: null, isUntried: false },
    });
  });

  test.each([
    ["rejected", 400],
    ["abandoned", null],
    ["busy", null],
    ["ours", null],
    ["unusable", 200],
    ["refused", 404],
  ])("not those that are nobody's fault: %s %s", (outcome, status) => {
    expect(judge([alike({ outcome, status }), alike({ outcome, status, ...other })])).toMatchObject({
      attempts: 0,
      failed: 0,
      isUntried: false,
    });
  });

  test.each([
    ["refused", 403],
    ["refused", 429],
    ["refused", 500],
    ["timeout", null],
    ["broken", 200],
  ])("what a request may bring about, only beyond one account: %s %s", (outcome, status) => {
    const attempts = alike({ outcome, status });
    expect(judge([attempts, ok(4, other)])).toMatchObject({ attempts: 4, failed: 0 });
    expect(judge([attempts, ok(4)])).toMatchObject({ attempts: 10, failed: 6 });
    expect(judge([attempts, { ...attempts, ...other }])).toMatchObject({ failed: 12, accounts: 2 });
  });

  test("what nobody waited for to the end, where several did and nothing at all is answered", () => {
    const hung = alike({ outcome: "unanswered", status: null });
    const all = [hung, { ...hung, ...other }];
    expect(judge(all)).toMatchObject({ attempts: 12, failed: 12, accounts: 2 });
    expect(judge([...all, ok(1)])).toMatchObject({ attempts: 1, failed: 0 });
    expect(judge([hung, alike({ outcome: "rejected", status: 400, ...other })])).toMatchObject({ failed: 0 });
  });

  test("none that are not recent, though it was tried", () => {
    expect(judge([alike({ recent: 0, since: null })])).toMatchObject({ attempts: 0, isUntried: false });
    expect(judge([])).toMatchObject({ attempts: 0, isUntried: true });
  });
});

const lately = (attempts: number, failed: number): Lately => ({
  ...{ attempts, failed, accounts: 1, since: at(0), status: 503, isUntried: false },
});

describe("a channel that was well", () => {
  test.each([
    [5, 5],
    [10, 5],
    [2_000, 1_000],
  ])("begins to fail: of %i attempts %i failed", (attempts, failed) => {
    expect(nextOf(lately(attempts, failed), null, at(0))).toBe("begins");
  });

  test.each([
    [0, 0],
    [4, 4],
    [11, 5],
    [2_000, 999],
  ])("does not: of %i attempts %i failed", (attempts, failed) => {
    expect(nextOf(lately(attempts, failed), null, at(0))).toBeNull();
  });
});

describe("a channel that failed", () => {
  const failing = { since: at(0), wellSince: null };
  const calm = { since: at(0), wellSince: at(10) };

  test.each([
    [0, 0],
    [1, 1],
    [9, 1],
    [100, 11],
  ])("fails still: of %i attempts %i failed", (attempts, failed) => {
    expect(nextOf(lately(attempts, failed), failing, at(10))).toBeNull();
  });

  test.each([
    [1, 0],
    [10, 1],
    [2_000, 200],
  ])("is well again when it has looked so for two minutes: of %i attempts %i failed", (attempts, failed) => {
    const health = lately(attempts, failed);
    expect(nextOf(health, failing, at(10))).toBe("calms");
    expect(nextOf(health, calm, at(11))).toBeNull();
    expect(nextOf(health, calm, at(12))).toBe("recovers");
  });

  test("begins to wait anew when it fails meanwhile, and goes on when nothing is tried", () => {
    expect(nextOf(lately(10, 2), calm, at(12))).toBe("flares");
    expect(nextOf(lately(0, 0), calm, at(12))).toBeNull();
  });

  test("is forgotten when nothing was sent to it for an hour", () => {
    expect(nextOf({ ...lately(0, 0), isUntried: true }, failing, at(90))).toBe("forgotten");
  });
});
