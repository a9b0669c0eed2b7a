import { expect, test } from "vitest";
import { createResponseRecorder } from "./response-recorder";

const room = (left: number) => {
  let usedBytes = 0;
  const take = async (bytes: number) => {
    usedBytes += bytes;
    if (usedBytes > left) {
      throw new Error("no room");
    }
  };
  return { bytes: { take, release: () => {} }, countBytes: () => usedBytes };
};

test("a tape keeps an answer as text, and as bytes if a part of it is no text", async () => {
  const tape = createResponseRecorder(room(Number.POSITIVE_INFINITY).bytes);
  expect(tape.body()).toBe("");
  await tape.add("a");
  tape.addLast("é");
  expect(tape.body()).toBe("aé");
  await tape.add(new Uint8Array([0xff, 0]));
  expect(tape.body()).toEqual(Buffer.from([0x61, 0xc3, 0xa9, 0xff, 0]));
});

test("a tape takes memory in steps, and keeps nothing if there is none left", async () => {
  const { bytes, countBytes } = room(600_000);
  const tape = createResponseRecorder(bytes);
  for (let index = 0; index < 1_000; index++) {
    await tape.add("x".repeat(100));
  }
  expect(countBytes()).toBe(256 * 1024);
  await tape.add("x".repeat(600_000));
  expect([tape.isLost(), tape.body()]).toEqual([true, null]);
});

test("a tape keeps no answer that is too long, and none that is given up", async () => {
  const [long, last, abandoned] = [0, 1, 2].map(() =>
    createResponseRecorder(room(Number.POSITIVE_INFINITY).bytes),
  );
  for (let index = 0; index < 49; index++) {
    await long?.add("x".repeat(1024 * 1024));
    last?.addLast("x".repeat(1024 * 1024));
  }
  expect([long?.body(), last?.body()]).toEqual([null, null]);
  await abandoned?.add("half");
  abandoned?.lose();
  abandoned?.addLast("more");
  expect(abandoned?.body()).toBeNull();
});
