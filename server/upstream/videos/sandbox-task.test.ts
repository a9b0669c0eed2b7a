import { describe, expect, test } from "vitest";
import { aspectRatios } from "@/server/domain/enums";
import { readByteRange } from "./byte-range";
import { outcomeOf, refuseForSandbox, sandboxStateAt } from "./sandbox-task";

test.each([
  ["a cat", "complete"],
  ["a cat [fail]", "fail"],
  ["[STALL] a cat", "stall"],
  ["a [cancel] cat", "cancel"],
  ["[reject]", "reject"],
  ["a cat that may fail", "complete"],
])("the sandbox reads %j as %s", (prompt, outcome) => {
  expect(outcomeOf(prompt)).toBe(outcome);
});

describe("a sandbox task", () => {
  test("makes progress and completes after six seconds", () => {
    const at = (elapsedMs: number) => sandboxStateAt("complete", elapsedMs);
    expect(at(0)).toEqual({ kind: "processing", progress: 0, isQueued: true });
    expect(at(3_000)).toEqual({ kind: "processing", progress: 50, isQueued: false });
    expect(at(5_999)).toEqual({ kind: "processing", progress: 99, isQueued: false });
    expect(at(6_000)).toEqual({ kind: "completed", url: null, isServed: true });
  });

  test("ends as its prompt says, or never", () => {
    expect(sandboxStateAt("fail", 4_000)).toMatchObject({ kind: "failed", code: "content_policy" });
    expect(sandboxStateAt("cancel", 4_000)).toEqual({ kind: "cancelled" });
    expect(sandboxStateAt("stall", 86_400_000)).toEqual({
      kind: "processing",
      progress: 50,
      isQueued: false,
    });
  });

  test("is refused if its model cannot make it", () => {
    const turbo = {
      model: "sandbox-video-turbo",
      prompt: "",
      durationSeconds: 5,
      aspectRatio: null,
    } as const;
    expect(refuseForSandbox({ ...turbo, resolution: "720p" })).toBeNull();
    for (const aspectRatio of aspectRatios) {
      expect(refuseForSandbox({ ...turbo, resolution: "720p", aspectRatio })).toBeNull();
    }
    expect(refuseForSandbox({ ...turbo, resolution: "1080p" })?.en).toContain(
      "5 s 1080p; supported: 5 s 720p",
    );
    expect(refuseForSandbox({ ...turbo, resolution: "720p", durationSeconds: 10 })?.en).toContain(
      "10 s 720p; supported: 5 s 720p",
    );
    expect(refuseForSandbox({ ...turbo, resolution: "720p", model: "other" })?.en).toContain("other");
  });
});

test.each([
  [null, "whole"],
  ["bytes=0-", { start: 0, end: 99 }],
  ["bytes=10-19", { start: 10, end: 19 }],
  ["bytes=90-500", { start: 90, end: 99 }],
  ["bytes=-10", { start: 90, end: 99 }],
  ["bytes=-500", { start: 0, end: 99 }],
  ["bytes=100-", null],
  ["bytes=-0", null],
  ["bytes=5-2", "whole"],
  ["bytes=0-1,5-6", "whole"],
  ["items=0-1", "whole"],
  ["bytes=-", "whole"],
])("of a hundred bytes the range %s is %j", (header, range) => {
  expect(readByteRange(header, 100)).toEqual(range);
});
