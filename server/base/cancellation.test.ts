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
  "a web signal's cancellation": () => {
    const controller = new AbortController();
    return { cancellation: fromSignal(controller.signal), cancel: (reason) => controller.abort(reason) };
  },
  "either of two sources": () => {
    const source = new CancellationSource();
    return { cancellation: eitherOf(new CancellationSource(), source), cancel: source.cancel };
  },
};

test.each(Object.entries(forms))(
  "%s calls its listeners once, in order, with the first reason",
  (_, make) => {
    const { cancellation, cancel } = make();
    const calls: unknown[] = [];
    const listener = (name: string) => () =>
      void calls.push([name, cancellation.isCancelled, cancellation.reason]);
    const third = listener("third");
    cancellation.add(listener("first"));
    cancellation.add(() => cancellation.delete(third));
    cancellation.add(third);
    cancellation.add(listener("fourth"));
    expect([cancellation.isCancelled, cancellation.reason]).toEqual([false, undefined]);
    cancel("gone");
    cancel("again");
    cancellation.add(listener("late"));
    expect(calls).toEqual([
      ["first", true, "gone"],
      ["fourth", true, "gone"],
    ]);
  },
);

test.each(Object.entries(forms))(
  "%s has the error of a web signal as its reason if none is given",
  (_, make) => {
    const { cancellation, cancel } = make();
    cancel();
    const usual = new AbortController();
    usual.abort();
    expect(String(cancellation.reason)).toBe(String(usual.signal.reason));
  },
);

test("a web signal of a cancellation aborts with it, and at once if the cancellation came first", () => {
  const source = new CancellationSource();
  const early = toSignal(source);
  expect(early.aborted).toBe(false);
  source.cancel("gone");
  expect([early.reason, toSignal(source).reason]).toEqual(["gone", "gone"]);
});

test("two sources are cancelled if one of them was cancelled before", () => {
  const source = new CancellationSource();
  source.cancel("gone");
  expect(eitherOf(source, new CancellationSource())).toMatchObject({ isCancelled: true, reason: "gone" });
  expect(eitherOf(new CancellationSource(), source)).toMatchObject({ isCancelled: true, reason: "gone" });
});

test("a pause ends after its time, or with the first cancellation", async () => {
  const timers = virtualTimers();
  const [first, second] = [new CancellationSource(), new CancellationSource()];
  const ended: string[] = [];
  const begin = (name: string, ms: number) =>
    void pause(timers, ms, [first, second]).then(() => ended.push(name));
  begin("short", 100);
  begin("long", 60_000);
  timers.advance(99);
  await nextTurn();
  expect(ended).toEqual([]);
  timers.advance(1);
  await nextTurn();
  expect(ended).toEqual(["short"]);
  second.cancel();
  begin("late", 60_000);
  await nextTurn();
  expect(ended).toEqual(["short", "long", "late"]);
});
