/**
 * Results of several promises, in the order in which they settle. A loop over `Promise.race` would prefer the first promise
 * every time, and each slow promise would keep all results since then in memory.
 */
export class Arrivals<T> {
  readonly #settled: Promise<T>[] = [];
  #expected = 0;
  #wake = () => {};

  expect(promise: Promise<T>): void {
    this.#expected++;
    const arrive = () => {
      this.#settled.push(promise);
      this.#wake();
    };
    promise.then(arrive, arrive);
  }

  /** Whether every promise has settled and every result was taken. */
  get isOver(): boolean {
    return this.#expected === 0;
  }

  /** The next result, for one reader at a time. Throws the reason of a rejected promise. */
  async next(): Promise<T> {
    for (;;) {
      const [first] = this.#settled.splice(0, 1);
      if (first) {
        this.#expected--;
        return await first;
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
