import { expect, test } from "vitest";
import type { ToChild } from "./messages";
import { createStandInKeeper } from "./stand-in-keeper";
import type { Supervisor } from "./supervisor";

function gateway() {
  let listen = () => {};
  let miss = (_: Error) => {};
  const listening = new Promise<void>((resolve, reject) => {
    listen = resolve;
    miss = reject;
  });
  return { listening, listen, miss };
}

function standIn() {
  const heard: (ToChild["kind"] | "stop")[] = [];
  let end = () => {};
  const over = new Promise<void>((resolve) => {
    end = resolve;
  });
  const keeper: Supervisor = {
    name: "stand-in",
    prepared: over,
    listening: over,
    send: ({ kind }: ToChild) => heard.push(kind) > 0,
    stop: async () => {
      heard.push("stop");
      await over;
    },
  };
  return { keeper, heard, end };
}

test("a stand-in covers others until the gateways listen, and not after the return", async () => {
  const cover = createStandInKeeper();
  const { keeper, heard, end } = standIn();
  expect(cover.covers("console")).toBe(false);
  const [one, two] = [gateway(), gateway()];
  const replaced = cover.replace(keeper, [one, two]);
  expect([cover.covers("console"), cover.covers("stand-in"), heard]).toEqual([true, false, []]);
  one.listen();
  await one.listening;
  expect([cover.covers("console"), heard]).toEqual([true, []]);
  two.listen();
  await expect.poll(() => heard).toEqual(["reach", "stop"]);
  // It still ends its work, and is stopped with the others if the server is.
  expect([cover.covers("console"), cover.standIn()]).toEqual([false, keeper]);
  end();
  await replaced;
  expect(cover.standIn()).toBeNull();
});

test("a stand-in is left to the end of the server if a gateway cannot start", async () => {
  const cover = createStandInKeeper();
  const { keeper, heard } = standIn();
  const one = gateway();
  const replaced = cover.replace(keeper, [one]);
  one.miss(new Error("no"));
  await replaced;
  expect([cover.covers("console"), cover.standIn(), heard]).toEqual([false, keeper, []]);
});
