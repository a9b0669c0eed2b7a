/**
 * What comes of several promises, in the order in which it comes. A race of them would give the first in line its turn again
 * and again, and keep with each that is slow whatever all others have come to since.
 */
export class Arrivals<T> {
  readonly #come: Promise<T>[] = [];
  #expected = 0;
  #wake = () => {};

  expect(promise: Promise<T>): void {
    this.#expected++;
    const arrive = () => {
      this.#come.push(promise);
      this.#wake();
    };
    promise.then(arrive, arrive);
  }

  /** Whether nothing is to come any more. */
  get isOver(): boolean {
    return this.#expected === 0;
  }

  /** The next that comes, for one who waits. Throws what its promise was rejected with. */
  async next(): Promise<T> {
    for (;;) {
      const [first] = this.#come.splice(0, 1);
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
