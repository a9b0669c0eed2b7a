import type { AccountId } from "@/server/domain/ids";

type QueuedItem<T, R> = { item: T; resolve: (result: R) => void; reject: (error: unknown) => void };

type Batcher<T, R> = { add: (item: T) => Promise<R>; idle: () => Promise<void> };
type Batching = { maxItems: number; mayDivide: (error: unknown) => boolean };

/** Creates a batcher for a function that processes a batch of items, each of an account. */
export type BatcherFactory = <T extends { accountId: AccountId }, R>(
  run: (items: T[]) => Promise<R[]>,
) => Batcher<T, R>;

/**
 * Group commit: items that wait at the same moment go into one call of `run`, which returns their results in order. One
 * call runs at a time, so batches grow only while the database is busy. `run` processes all of a batch or nothing. If
 * it fails with an error that `mayDivide`, the two halves are tried separately, so that an impossible item fails alone.
 * Any other error is the error of every item.
 */
export function createBatcher<T, R>(run: (items: T[]) => Promise<R[]>, options: Batching): Batcher<T, R> {
  const queue: QueuedItem<T, R>[] = [];
  let running: Promise<void> | null = null;

  async function runBatch(batch: QueuedItem<T, R>[]): Promise<void> {
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
    // Requests that arrive in one turn of the event loop share the first batch.
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

/**
 * Runs a separate batcher for each account with waiting items, in parallel. For databases where no statement may
 * contain two accounts.
 */
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
