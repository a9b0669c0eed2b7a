import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AccountId } from "@/server/domain/ids";
import { branded } from "@/tests/support/branded";
import { gate } from "@/tests/support/gate";
import { createBatcher, createBatcherPerAccount } from "./batcher";

const never = () => false;
const soon = () => new Promise<void>((resolve) => setImmediate(resolve));

describe("a batcher", () => {
  test("gives every item its own answer, in order, and never runs two batches at once", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.integer(), { maxLength: 8 }), { maxLength: 12 }),
        fc.integer({ min: 1, max: 5 }),
        async (turns, maxItems) => {
          const received: number[] = [];
          let running = 0;
          const batcher = createBatcher(
            async (items: number[]) => {
              expect(++running).toBe(1);
              expect(items.length).toBeLessThanOrEqual(maxItems);
              received.push(...items);
              await soon();
              running--;
              return items.map((item) => `answer ${item}`);
            },
            { maxItems, mayDivide: never },
          );
          const answers: Promise<string>[] = [];
          for (const turn of turns) {
            answers.push(...turn.map((item) => batcher.add(item)));
            await soon();
          }
          const allItems = turns.flat();
          expect(await Promise.all(answers)).toEqual(allItems.map((item) => `answer ${item}`));
          expect(received).toEqual(allItems);
        },
      ),
    );
  });

  test("puts items that are added at the same time into one batch", async () => {
    const sizes: number[] = [];
    const batcher = createBatcher(
      async (items: number[]) => {
        sizes.push(items.length);
        await soon();
        return items;
      },
      { maxItems: 500, mayDivide: never },
    );
    await Promise.all(Array.from({ length: 200 }, (_, index) => batcher.add(index)));
    expect(sizes).toEqual([200]);
  });

  test("fails only the item that cannot be done, whichever items are in its batch", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { minLength: 1, maxLength: 40 }), async (poisons) => {
        const done: number[] = [];
        const batcher = createBatcher(
          async (items: { index: number; isPoison: boolean }[]) => {
            if (items.some((item) => item.isPoison)) {
              throw new Error("poison");
            }
            done.push(...items.map((item) => item.index));
            return items.map((item) => item.index);
          },
          { maxItems: 500, mayDivide: () => true },
        );
        const outcomes = await Promise.allSettled(
          poisons.map((isPoison, index) => batcher.add({ index, isPoison })),
        );
        expect(outcomes.map((outcome) => outcome.status === "rejected")).toEqual(poisons);
        expect(done).toEqual(poisons.flatMap((isPoison, index) => (isPoison ? [] : [index])));
      }),
    );
  });

  test("does not repeat a batch after an error that may pass, because its callers decide that", async () => {
    let runs = 0;
    const batcher = createBatcher<number, number>(
      async () => {
        runs++;
        throw new Error("away");
      },
      { maxItems: 500, mayDivide: never },
    );
    const outcomes = await Promise.allSettled([batcher.add(1), batcher.add(2), batcher.add(3)]);
    expect(outcomes.every((outcome) => outcome.status === "rejected")).toBe(true);
    expect(runs).toBe(1);
  });

  test("continues after a failure, and is idle when all items are answered", async () => {
    const batcher = createBatcher(
      async (items: number[]) => {
        if (items.includes(0)) {
          throw new Error("no");
        }
        return items;
      },
      { maxItems: 1, mayDivide: never },
    );
    const outcomes = Promise.allSettled([batcher.add(0), batcher.add(1)]);
    await batcher.idle();
    expect((await outcomes).map((outcome) => outcome.status)).toEqual(["rejected", "fulfilled"]);
    expect(await batcher.add(2)).toBe(2);
  });
});

test("a batcher per account has no batch with two accounts, and no account waits for another's batch", async () => {
  const [busy, other] = [branded<AccountId>("acc_busy"), branded<AccountId>("acc_other")];
  const batches: AccountId[][] = [];
  const { open, opened } = gate();
  const batcher = createBatcherPerAccount(
    async (items: { accountId: AccountId; name: number }[]) => {
      batches.push(items.map(({ accountId }) => accountId));
      await (items[0]?.accountId === busy ? opened : soon());
      return items.map(({ name }) => name);
    },
    { maxItems: 10, mayDivide: never },
  );
  const held = [1, 2].map((name) => batcher.add({ accountId: busy, name }));
  expect(await Promise.all([3, 4].map((name) => batcher.add({ accountId: other, name })))).toEqual([3, 4]);
  open();
  expect(await Promise.all(held)).toEqual([1, 2]);
  await batcher.idle();
  expect(batches).toEqual([
    [busy, busy],
    [other, other],
  ]);
});
