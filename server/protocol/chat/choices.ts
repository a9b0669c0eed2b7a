import { type JsonObject, objects } from "../fields";
import { finishKind } from "../finish";
import { readFinish } from "./normalise";

/** More choices than any model makes. Every fragment searches them, so there is a limit. */
export const MAX_CHOICES = 256;

export const indexOf = ({ index }: JsonObject): number =>
  typeof index === "number" && Number.isInteger(index) ? index : 0;

/** The choices of a chunk, up to the limit of a stream. */
export const choicesOf = ({ choices }: JsonObject): JsonObject[] => objects(choices).slice(0, MAX_CHOICES);

/** The choices of a stream that the vendor has broken off. */
export class BrokenChoices {
  private readonly broken = new Set<number>();
  private readonly expected: number;

  /** `expected`: how many choices the client asked for. */
  constructor(expected: number) {
    this.expected = expected;
  }

  /**
   * Returns the vendor's word for the failure once a chunk has broken off the last choice. `previousIndexes`: the choices before
   * it. If a choice fails while others continue or have ended well, it ends with its own word, which the dialect
   * allows: the client pays for the others and should not lose them to this failure.
   */
  read(chunk: JsonObject, previousIndexes: Iterable<number>): string | null {
    const choices = choicesOf(chunk);
    const breaking = choices.filter((choice) => finishKind(readFinish(choice)) === "failure");
    for (const choice of breaking) {
      this.broken.add(indexOf(choice));
    }
    const all = new Set([...previousIndexes, ...choices.map(indexOf)]);
    const last = breaking.at(-1);
    return last && this.broken.size >= Math.max(all.size, this.expected) ? readFinish(last) : null;
  }
}
