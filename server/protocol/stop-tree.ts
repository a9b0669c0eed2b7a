/**
 * Stop sequences as one tree, in which a text is searched character by character: the current place is the longest
 * beginning of a sequence that the text ends with, however many sequences there are and however similar they are (Aho,
 * Corasick).
 */
export class StopTree {
  /** By place (0 is the root): its depth, and the longest sequence that is complete there. */
  readonly #lengths = [0];
  readonly #whole: (string | null)[] = [null];
  /** By place: the longest other beginning that its text ends with. */
  readonly #shorter = [0];
  /** By place: its first child, and the next child of the same parent. 0: none. */
  readonly #ways = [0];
  readonly #codes = [0];
  readonly #siblings = [0];
  readonly #root = new Map<number, number>();

  constructor(stops: readonly string[]) {
    for (const stop of stops) {
      this.#add(stop);
    }
    this.#link();
  }

  /** The place after one more character. */
  next(place: number, code: number): number {
    for (let from = place; from !== 0; from = this.#shorter[from] as number) {
      const way = this.#wayFrom(from, code);
      if (way !== 0) {
        return way;
      }
    }
    return this.#root.get(code) ?? 0;
  }

  wholeAt(place: number): string | null {
    return this.#whole[place] as string | null;
  }

  lengthAt(place: number): number {
    return this.#lengths[place] as number;
  }

  #wayFrom(place: number, code: number): number {
    if (place === 0) {
      return this.#root.get(code) ?? 0;
    }
    let way = this.#ways[place] as number;
    while (way !== 0 && this.#codes[way] !== code) {
      way = this.#siblings[way] as number;
    }
    return way;
  }

  #add(stop: string): void {
    let place = 0;
    for (let at = 0; at < stop.length; at++) {
      const code = stop.charCodeAt(at);
      place = this.#wayFrom(place, code) || this.#grow(place, code);
    }
    this.#whole[place] = stop;
  }

  #grow(place: number, code: number): number {
    const grown = this.#lengths.length;
    this.#lengths.push(this.lengthAt(place) + 1);
    this.#whole.push(null);
    this.#shorter.push(0);
    this.#ways.push(0);
    this.#codes.push(code);
    this.#siblings.push(place === 0 ? 0 : (this.#ways[place] as number));
    if (place === 0) {
      this.#root.set(code, grown);
    } else {
      this.#ways[place] = grown;
    }
    return grown;
  }

  /** Links each place to its shorter beginning, those nearest to the root first: each link needs its parent's. */
  #link(): void {
    const waiting = [...this.#root.values()];
    for (const place of waiting) {
      this.#whole[place] ??= this.wholeAt(this.#shorter[place] as number);
      for (let way = this.#ways[place] as number; way !== 0; way = this.#siblings[way] as number) {
        this.#shorter[way] = this.next(this.#shorter[place] as number, this.#codes[way] as number);
        waiting.push(way);
      }
    }
  }
}

const trees = new WeakMap<readonly string[], StopTree>();

/** The tree of a list that never changes: an answer builds it once, however many texts it has. */
export function stopTreeOf(stops: readonly string[]): StopTree {
  const tree = trees.get(stops) ?? new StopTree(stops);
  trees.set(stops, tree);
  return tree;
}
