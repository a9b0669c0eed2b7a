import { expect, test } from "vitest";
import { CancellationSource } from "@/server/base/cancellation";
import { virtualTimers } from "@/tests/support/virtual-clock";
import { createPlaces } from "./places";

const limits = { capacity: 1_024, maxWaiting: 1_024, patienceMs: 10_000 };
const waiting = new CancellationSource();

/** Records the admitted calls, in order. */
function crowd(places = createPlaces(limits)) {
  const admitted: string[] = [];
  const releases: (() => void)[] = [];
  const faults: unknown[] = [];
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  const call = (owner: string, at = waiting) => {
    places.take(owner, at).then(
      (release) => {
        admitted.push(owner);
        releases.push(release);
      },
      (error: unknown) => faults.push(error),
    );
  };
  return { admitted, releases, faults, call, settled };
}

test("2,000 slow calls of one account leave places for other accounts, whose calls do not wait", async () => {
  const { admitted, call, settled } = crowd();
  Array.from({ length: 2_000 }, () => call("greedy"));
  const others = Array.from({ length: 40 }, (_, index) => `other ${index}`);
  others.forEach((owner) => void call(owner));
  await settled();
  expect(admitted.filter((owner) => owner === "greedy")).toHaveLength(963);
  expect(admitted.slice(963)).toEqual(others);
});

test("waiting accounts get a place in turn, one call each, and not in the order of arrival", async () => {
  const { admitted, releases, call, settled } = crowd(createPlaces({ ...limits, capacity: 4 }));
  for (const owner of ["a", "a", "b", "c"]) {
    call(owner);
  }
  for (const owner of ["a", "a", "a", "b", "c"]) {
    call(owner);
  }
  await settled();
  expect(admitted).toEqual(["a", "a", "b", "c"]);
  while (releases.length > 0) {
    releases.shift()?.();
    await settled();
  }
  expect(admitted.slice(4, 7).sort()).toEqual(["a", "b", "c"]);
  expect(admitted).toHaveLength(9);
});

test("a place that is given back twice is one place", async () => {
  const { admitted, releases, call, settled } = crowd(createPlaces({ ...limits, capacity: 2 }));
  call("a");
  await settled();
  releases[0]?.();
  releases[0]?.();
  call("a");
  call("a");
  await settled();
  expect(admitted).toHaveLength(2);
});

test("a call takes a place without waiting if there is room and no earlier call of its owner waits", async () => {
  const places = createPlaces({ ...limits, capacity: 4 });
  const releases = [places.takeNow("a"), places.takeNow("a"), places.takeNow("b")];
  expect(releases.map((release) => typeof release)).toEqual(["function", "function", "function"]);
  expect([places.takeNow("a"), places.takeNow("b")]).toEqual([null, null]);
  const waited = places.take("a", waiting);
  releases[2]?.();
  expect(places.takeNow("a")).toBeNull();
  releases[0]?.();
  (await waited)();
  expect(places.takeNow("a")).toBeTypeOf("function");
});

test("a call stops waiting after its time, if its client leaves, and at once if too many calls of its account wait", async () => {
  const timers = virtualTimers();
  const places = createPlaces({ capacity: 2, maxWaiting: 4, patienceMs: 1_000, timers });
  const release = await places.take("a", waiting);
  const late = places.take("a", waiting).catch((error: unknown) => error);
  const client = new CancellationSource();
  const gone = places.take("a", client).catch((error: unknown) => error);
  await expect(places.take("a", waiting)).rejects.toMatchObject({ reason: "busy" });
  client.cancel(new Error("gone"));
  expect(await gone).toMatchObject({ message: "gone" });
  timers.advance(1_000);
  expect(await late).toMatchObject({ reason: "busy" });
  release();
  (await places.take("a", waiting))();
});
