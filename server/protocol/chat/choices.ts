import { isJsonObject, type JsonObject, objects, textOf } from "../fields";
import { finishKind } from "../finish";
import { brokeOff, readChoiceError, type UpstreamWords } from "../upstream-error";
import { readFinish } from "./normalise";

/** More choices than any model makes. Every fragment searches them, so there is a limit. */
export const MAX_CHOICES = 256;

const DIGITS = /^\d{1,3}$/;

export function indexOf({ index }: JsonObject): number {
  const number = typeof index === "string" && DIGITS.test(index) ? Number(index) : index;
  return typeof number === "number" && Number.isInteger(number) ? number : 0;
}

/** Numbers the choices of a stream from 0 if the client asked for one: some vendors number the only one 1. */
export class ChoiceNumbers {
  private readonly isOne: boolean;
  private first: number | null = null;

  /** `expected`: how many choices the client asked for. */
  constructor(expected: number) {
    this.isOne = expected === 1;
  }

  /** Gives each choice its number. The first one that comes and the one with the number 0 change places. */
  number(choices: JsonObject[]): void {
    for (const choice of this.isOne ? choices : []) {
      const index = indexOf(choice);
      this.first ??= index;
      choice.index = index === this.first ? 0 : index || this.first;
    }
  }
}

/** The choices of a chunk, up to the limit of a stream. Some vendors send one without the list around it. */
export const choicesOf = ({ choices }: JsonObject): JsonObject[] =>
  (isJsonObject(choices) ? [choices] : objects(choices)).slice(0, MAX_CHOICES);

/** Whether an object is a chunk, and no event of a gateway in between. */
export const isChunk = ({ choices, usage, x_groq: groq, object }: JsonObject): boolean =>
  typeof (choices ?? undefined) === "object" ||
  isJsonObject(usage) ||
  isJsonObject(groq) ||
  textOf(object).startsWith("chat.");

/** The error of a choice that the vendor has broken off: its own, or one of the word for its end. null: it goes on. */
function failureOf(choice: JsonObject): UpstreamWords | null {
  const finish = readFinish(choice);
  return readChoiceError(choice) ?? (finishKind(finish) === "failure" ? brokeOff(textOf(finish)) : null);
}

/** The choices of a stream that the vendor has broken off. */
export class BrokenChoices {
  private readonly broken = new Set<number>();
  private readonly expected: number;

  /** `expected`: how many choices the client asked for. */
  constructor(expected: number) {
    this.expected = expected;
  }

  /**
   * Returns the error once a chunk has broken off the last choice. `previousIndexes`: the choices before it. If a choice
   * fails while others continue or have ended well, it ends with its own word, or "error", which the dialect allows: the
   * client pays for the others and should not lose them to this failure.
   */
  read(chunk: JsonObject, previousIndexes: Iterable<number>): UpstreamWords | null {
    const choices = choicesOf(chunk);
    let last: UpstreamWords | null = null;
    for (const choice of choices) {
      const failure = failureOf(choice);
      if (failure !== null) {
        last = failure;
        this.broken.add(indexOf(choice));
        choice.finish_reason = readFinish(choice) ?? "error";
      }
    }
    const all = new Set([...previousIndexes, ...choices.map(indexOf)]);
    return this.broken.size >= Math.max(all.size, this.expected) ? last : null;
  }
}
