type Waiting<T, R> = { item: T; resolve: (result: R) => void; reject: (error: unknown) => void };

/**
 * Group commit: items that wait at the same moment go into one call of `run`, which answers in their order. One call
 * runs at a time, so a batch grows exactly as long as the database is busy. An error is the error of every item in it.
 */
export function createBatcher<T, R>(
  run: (items: T[]) => Promise<R[]>,
  options: { maxItems: number },
): { add: (item: T) => Promise<R>; idle: () => Promise<void> } {
  const queue: Waiting<T, R>[] = [];
  let running: Promise<void> | null = null;

  async function drain(): Promise<void> {
    // Requests that arrived in one turn of the event loop shall share the first batch too.
    await new Promise(setImmediate);
    while (queue.length > 0) {
      const batch = queue.splice(0, options.maxItems);
      try {
        const results = await run(batch.map((waiting) => waiting.item));
        for (const [index, waiting] of batch.entries()) {
          waiting.resolve(results[index] as R);
        }
      } catch (error) {
        for (const waiting of batch) {
          waiting.reject(error);
        }
      }
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
