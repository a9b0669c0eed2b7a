import { expect, test } from "vitest";
import type { TaskState } from "@/server/domain/enums";
import { isOpen, type TaskEvent, transition } from "./task";

const events: TaskEvent[] = [
  { kind: "accepted" },
  { kind: "completed" },
  { kind: "failed", code: "upstream_error", message: "no" },
  { kind: "cancelled" },
  { kind: "timedOut" },
];

test.each<{ from: TaskState; kind: TaskEvent["kind"]; to: TaskState; money: string }>([
  { from: "submitting", kind: "accepted", to: "processing", money: "kept" },
  { from: "submitting", kind: "failed", to: "failed", money: "released" },
  { from: "processing", kind: "completed", to: "completed", money: "captured" },
  { from: "processing", kind: "failed", to: "failed", money: "released" },
  { from: "processing", kind: "timedOut", to: "failed", money: "released" },
  { from: "processing", kind: "cancelled", to: "cancelled", money: "released" },
])("spec section 3: $from, $kind -> $to, money $money", ({ from, kind, to, money }) => {
  const event = events.find((candidate) => candidate.kind === kind) as TaskEvent;
  expect(transition(from, event)).toMatchObject({ state: to, money });
});

test("a time-out is a failure with the spec's code", () => {
  expect(transition("processing", { kind: "timedOut" })?.error?.code).toBe("timeout");
});

test.each<TaskState>(["completed", "failed", "cancelled"])("no event moves a task out of %s", (state) => {
  expect(isOpen(state)).toBe(false);
  expect(events.map((event) => transition(state, event))).toEqual(events.map(() => null));
});

test("a second acceptance changes nothing", () => {
  expect(transition("processing", { kind: "accepted" })).toBeNull();
});
