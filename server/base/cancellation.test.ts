import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { virtualTimers } from "@/tests/support/virtual-clock";
import { type Cancellation, CancellationSource, eitherOf, fromSignal, pause, toSignal } from "./cancellation";

/** Each form of a cancellation, with the function that cancels it. */
const forms: Record<string, () => { cancellation: Cancellation; cancel: (reason?: unknown) => void }> = {
  "a source": () => {
    const source = new CancellationSource();
    return { cancellation: source, cancel: source.cancel };
  },
  "that of a web signal": () => {
    const controller = new AbortController();
    return { cancellation: fromSignal(controller.signal), cancel: (reason) => controller.abort(reason) };
  },
  "the first of two": () => {
    const source = new CancellationSource();
    return { cancellation: eitherOf(new CancellationSource(), source), cancel: source.cancel };
  },
};

test.each(Object.entries(forms))(
  "%s calls its listeners once, in order, with the first reason",
  (_, make) => {
    const { cancellation, cancel } = make();
    const heard: unknown[] = [];
    const hear = (name: string) => () =>
      void heard.push([name, cancellation.isCancelled, cancellation.reason]);
    const third = hear("third");
    cancellation.add(hear("first"));
    cancellation.add(() => cancellation.delete(third));
    cancellation.add(third);
    cancellation.add(hear("fourth"));
    expect([cancellation.isCancelled, cancellation.reason]).toEqual([false, undefined]);
    cancel("gone");
    cancel("again");
    cancellation.add(hear("late"));
    expect(heard).toEqual([
      ["first", true, "gone"],
      ["fourth", true, "gone"],
    ]);
  },
);

test.each(Object.entries(forms))("%s has the usual error as its reason if none is given", (_, make) => {
  const { cancellation, cancel } = make();
  cancel();
  const usual = new AbortController();
  usual.abort();
  expect(String(cancellation.reason)).toBe(String(usual.signal.reason));
});

test("a web signal of a cancellation aborts with it, and at once if it is late", () => {
  const source = new CancellationSource();
  const early = toSignal(source);
  expect(early.aborted).toBe(false);
  source.cancel("gone");
  expect([early.reason, toSignal(source).reason]).toEqual(["gone", "gone"]);
});

test("one of two that is cancelled already cancels both", () => {
  const source = new CancellationSource();
  source.cancel("gone");
  expect(eitherOf(source, new CancellationSource())).toMatchObject({ isCancelled: true, reason: "gone" });
  expect(eitherOf(new CancellationSource(), source)).toMatchObject({ isCancelled: true, reason: "gone" });
});

test("a pause ends in time, or with the first cancellation", async () => {
  const timers = virtualTimers();
  const [one, other] = [new CancellationSource(), new CancellationSource()];
  const ended: string[] = [];
  const begin = (name: string, ms: number) =>
    void pause(timers, ms, [one, other]).then(() => ended.push(name));
  begin("short", 100);
  begin("long", 60_000);
  timers.advance(99);
  await nextTurn();
  expect(ended).toEqual([]);
  timers.advance(1);
  await nextTurn();
  expect(ended).toEqual(["short"]);
  other.cancel();
  begin("late", 60_000);
  await nextTurn();
  expect(ended).toEqual(["short", "long", "late"]);
});
