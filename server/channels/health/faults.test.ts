import { describe, expect, test } from "vitest";
import { UpstreamFault } from "@/server/upstream";
import { blameOf, errorOfFaults, mayRepeat, reasonOf, repeatAfterMs } from "./faults";

const refused = (status: number, retryAfterMs: number | null = null) =>
  new UpstreamFault("refused", String(status), { status, retryAfterMs });
const fault = (reason: UpstreamFault["reason"]) => new UpstreamFault(reason, reason);

describe("the blame for a fault", () => {
  const statuses = Array.from({ length: 100 }, (_, index) => 400 + index);
  test.each(statuses)(
    "never falls on the channel if the client's request can cause the fault: %i",
    (status) => {
      expect(["none", "credential", "doubtfulCredential"]).toContain(blameOf(refused(status)));
    },
  );

  test("never falls on the channel if the answer cannot be read or this program fails", () => {
    expect([fault("unusable"), fault("ours"), refused(501), refused(505)].map(blameOf)).toEqual(
      Array(4).fill("none"),
    );
  });

  test("falls on the channel for one account only if its request may cause the fault", () => {
    const doubtful = [
      fault("cut"),
      fault("timeout"),
      fault("malformed"),
      fault("broken"),
      new UpstreamFault("refused", "an error without a status"),
      // A model that takes too long for the proxy in front of it: the prompt may be the cause.
      ...[500, 504, 524].map((status) => refused(status)),
    ];
    expect(doubtful.map(blameOf)).toEqual(Array(doubtful.length).fill("doubtful"));
  });

  test("falls on the channel if no request can cause the fault", () => {
    const faults = [fault("unreachable"), ...[302, 502, 503, 520, 529].map((status) => refused(status))];
    expect(faults.map(blameOf)).toEqual(Array(faults.length).fill("channel"));
  });
});

test("a call is repeated only if nothing was bought and a moment may help", () => {
  const repeatable = [
    fault("unreachable"),
    fault("cut"),
    ...[408, 425, 429, 500, 502, 503, 529].map((s) => refused(s)),
  ];
  expect(repeatable.every(mayRepeat)).toBe(true);
  const unrepeatable = [...(["timeout", "malformed", "unusable", "broken", "ours"] as const).map(fault)];
  expect(
    [...unrepeatable, ...[401, 402, 403, 404, 405, 501, 504].map((s) => refused(s))].some(mayRepeat),
  ).toBe(false);
});

test("a repeat waits as long as the upstream asks, longer each time, and at most a few seconds", () => {
  expect([0, 1].map((round) => repeatAfterMs([refused(503)], round))).toEqual([250, 500]);
  expect(repeatAfterMs([refused(429, 2_000), refused(529)], 0)).toBe(2_000);
  expect(repeatAfterMs([refused(429, 0)], 0)).toBe(250);
  expect(repeatAfterMs([refused(429, 10_000)], 0)).toBeNull();
  expect(repeatAfterMs([refused(503), fault("timeout")], 0)).toBeNull();
  expect(repeatAfterMs([refused(401)], 0)).toBeNull();
  expect(repeatAfterMs([], 0)).toBeNull();
});

describe("an SDK learns when a repeat may help, and does not repeat a call that may have been bought", () => {
  const answerTo = (faults: UpstreamFault[], opensInMs: number | null = null) => {
    const { kind, headers } = errorOfFaults(faults, opensInMs);
    return { kind, ...headers };
  };
  const unavailable = { kind: "upstreamsUnavailable" };
  const no = { "x-should-retry": "false" };

  test("after a fault that passes", () => {
    expect(answerTo([refused(503)])).toEqual({ ...unavailable, "retry-after": "1" });
    expect(answerTo([refused(429, 12_300), refused(404)])).toEqual({ ...unavailable, "retry-after": "13" });
    expect(answerTo([refused(529, 300_000)])).toEqual({ ...unavailable, "retry-after": "60" });
  });

  test("after a full origin, because a moment or another channel may have a place", () => {
    expect(blameOf(fault("busy"))).toBe("none");
    expect(answerTo([fault("busy")])).toEqual({ kind: "upstreamBusy", "retry-after": "1" });
    expect(answerTo([fault("busy"), refused(404)])).toEqual({ ...unavailable, "retry-after": "1" });
    expect(repeatAfterMs([fault("busy")], 0)).toBeNull();
  });

  test("after a channel whose breaker is open", () => {
    expect(answerTo([], 9_400)).toEqual({ ...unavailable, "retry-after": "10" });
  });

  test("after a call that may have been bought", () => {
    expect(answerTo([fault("timeout")])).toEqual({ ...unavailable, ...no });
    expect(answerTo([refused(503), fault("broken")])).toEqual({ ...unavailable, ...no });
    expect(answerTo([refused(504)])).toEqual({ ...unavailable, ...no });
    expect(answerTo([fault("malformed"), fault("unusable")])).toEqual({ kind: "upstreamMalformed", ...no });
    expect(answerTo([fault("ours")])).toEqual({ kind: "internal", ...no });
  });

  test("after a fault that no repeat can help", () => {
    expect(answerTo([refused(401)])).toEqual({ ...unavailable, ...no });
    expect(answerTo([])).toEqual({ ...unavailable, ...no });
  });
});

test.each<[faults: UpstreamFault[], reason: ReturnType<typeof reasonOf>]>([
  [[], ""],
  [[refused(429), refused(429)], "limited"],
  [[refused(429), refused(503)], ""],
  [[fault("unreachable"), fault("cut"), fault("broken")], "broken"],
  [[fault("timeout")], "silent"],
  [[fault("timeout"), fault("broken")], ""],
  [[fault("malformed")], ""],
])("the reason is named if all faults are alike: %o", (faults, reason) => {
  expect(reasonOf(faults)).toBe(reason);
});
