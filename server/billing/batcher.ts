import type { AccountId } from "@/server/base/ids";

type Waiting<T, R> = { item: T; resolve: (result: R) => void; reject: (error: unknown) => void };

type Batcher<T, R> = { add: (item: T) => Promise<R>; idle: () => Promise<void> };
type Batching = { maxItems: number; mayDivide: (error: unknown) => boolean };

/** Makes a batcher of what can do a whole batch, of accounts' items. */
export type Batch = <T extends { accountId: AccountId }, R>(
  run: (items: T[]) => Promise<R[]>,
) => Batcher<T, R>;

/**
 * Group commit: items that wait at the same moment go into one call of `run`, which answers in their order. One call
 * runs at a time, so a batch grows exactly as long as the database is busy. `run` does all of a batch or nothing: when
 * it fails with an error that `mayDivide`, the halves are tried by themselves, so that one item that cannot be done
 * fails alone. Any other error is the error of every item.
 */
export function createBatcher<T, R>(run: (items: T[]) => Promise<R[]>, options: Batching): Batcher<T, R> {
  const queue: Waiting<T, R>[] = [];
  let running: Promise<void> | null = null;

  async function runBatch(batch: Waiting<T, R>[]): Promise<void> {
    try {
      const results = await run(batch.map((waiting) => waiting.item));
      for (const [index, waiting] of batch.entries()) {
        waiting.resolve(results[index] as R);
      }
    } catch (error) {
      if (batch.length > 1 && options.mayDivide(error)) {
        const middle = Math.ceil(batch.length / 2);
        await runBatch(batch.slice(0, middle));
        await runBatch(batch.slice(middle));
        return;
      }
      for (const waiting of batch) {
        waiting.reject(error);
      }
    }
  }

  async function drain(): Promise<void> {
    // Requests that arrived in one turn of the event loop shall share the first batch too.
    await new Promise(setImmediate);
    while (queue.length > 0) {
      await runBatch(queue.splice(0, options.maxItems));
    }
    running = null;
  }

  return {
    add: (item) =>
      new Promise<R>((resolve, reject) => {
        queue.push({ item, resolve, reject });
        running ??= drain();
      }),
    idle: async () => {
      await running;
    },
  };
}

/** A batcher for each account that has items waiting, side by side: for where no statement may have two of them. */
export function createBatcherPerAccount<T extends { accountId: AccountId }, R>(
  run: (items: T[]) => Promise<R[]>,
  options: Batching,
): Batcher<T, R> {
  const lines = new Map<AccountId, { batcher: Batcher<T, R>; waiting: number }>();
  return {
    add: async (item) => {
      const line = lines.get(item.accountId) ?? { batcher: createBatcher(run, options), waiting: 0 };
      lines.set(item.accountId, line);
      line.waiting += 1;
      try {
        return await line.batcher.add(item);
      } finally {
        line.waiting -= 1;
        if (line.waiting === 0) {
          lines.delete(item.accountId);
        }
      }
    },
    idle: async () => {
      await Promise.all([...lines.values()].map(({ batcher }) => batcher.idle()));
    },
  };
}
