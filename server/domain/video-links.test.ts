import { describe, expect, test } from "vitest";
import { isSignedFor, signContentPath } from "./video-links";

const now = new Date("2026-05-01T00:00:00Z");
const signing = { keyPepper: "p".repeat(32), clock: () => now };

const queryOf = (url: string) => new URL(url, "http://gateway.test").searchParams;
const later = (hours: number) => ({ ...signing, clock: () => new Date(now.getTime() + hours * 3_600_000) });

describe("the address of a video", () => {
  test("leads to the endpoint of the file", () => {
    const path = "/v1/videos/generations/task_1/content?expires=1777680000&signature=";
    expect(signContentPath(signing, "task_1")).toContain(path);
  });

  test("opens its task for 24 hours, at every replica with the same pepper", () => {
    const query = queryOf(signContentPath(signing, "task_1"));
    expect(isSignedFor(signing, query, "task_1")).toBe(true);
    expect(isSignedFor(later(23.9), query, "task_1")).toBe(true);
    expect(isSignedFor(later(24), query, "task_1")).toBe(false);
    expect(isSignedFor({ ...signing, keyPepper: "q".repeat(32) }, query, "task_1")).toBe(false);
  });

  test("opens no other task, for no longer time, and not with a part of a signature", () => {
    const query = queryOf(signContentPath(signing, "task_1"));
    expect(isSignedFor(signing, query, "task_2")).toBe(false);
    for (const [name, value] of [
      ["expires", "1999999999"],
      ["expires", "1e12"],
      ["expires", ""],
      ["signature", ""],
      ["signature", query.get("signature")?.slice(0, 20) ?? ""],
      ["signature", "é".repeat(43)],
    ] as const) {
      const forged = new URLSearchParams(query);
      forged.set(name, value);
      expect(isSignedFor(signing, forged, "task_1")).toBe(false);
    }
    expect(isSignedFor(signing, new URLSearchParams(), "task_1")).toBe(false);
  });
});
