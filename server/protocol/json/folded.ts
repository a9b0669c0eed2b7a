/** Reads what remains of a folded body, and puts a body together from it. */
import { atOnce } from "@/server/base/turns";
import type { FoldedTexts } from "../usage/estimate";
import type { CountedText } from "../usage/sampled-count";
import { decodePart } from "./bytes";
import { type FoldedJson, type LongText, positionIn } from "./fold";
import type { Piece } from "./splice";
import { type JsonText, readJsonInSteps } from "./text";

/** In characters; each takes six bytes at most. */
const SHORTEST_BEGINNING = 512;

/** A long text that was found by its beginning so many times, and is expected so many times. */
type Expected = LongText & { times: number; taken: number };

/** The long texts of a body, by their beginnings, which stand for them among its fields. */
class LongTexts implements FoldedTexts {
  private readonly bytes: Buffer;
  private readonly byBeginning = new Map<string, Expected>();
  /** The other texts that are long enough to be such a beginning. */
  private readonly others = new Set<string>();
  /** Two long texts begin alike: which of them is where is unknown. */
  private isAmbiguous = false;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  add(beginning: string, text: LongText): void {
    const other = this.byBeginning.get(beginning);
    if (other === undefined) {
      this.byBeginning.set(beginning, { ...text, times: 1, taken: 0 });
      return;
    }
    const contentOf = ({ start, end }: LongText) => this.bytes.subarray(start, end);
    this.isAmbiguous ||= !contentOf(other).equals(contentOf(text));
    other.times++;
  }

  addOther(text: string): void {
    if (text.length >= SHORTEST_BEGINNING) {
      this.others.add(text);
    }
  }

  take(beginning: string): CountedText | null {
    const found = this.byBeginning.get(beginning);
    if (found === undefined) {
      return null;
    }
    found.taken++;
    const { start, end } = found;
    return {
      length: end - start,
      part: (from, to) => decodePart(this.bytes, start + from, start + to),
    };
  }

  /**
   * Whether each long text was counted once, wherever it is. Not if another text equals its beginning: the other one, such
   * as a picture, may have been counted in its place.
   */
  areAllTaken(): boolean {
    return (
      !this.isAmbiguous &&
      [...this.byBeginning].every(
        ([beginning, { times, taken }]) => times === taken && !this.others.has(beginning),
      )
    );
  }
}

/** Parses what remains of a body. Throws as `readJsonText` does. */
export function readFolded(folded: FoldedJson): { text: JsonText; texts: LongTexts } {
  const texts = new LongTexts(folded.bytes);
  let left = 0;
  const byEnd = new Map(
    folded.longTexts.map((text) => {
      const end = text.cut - left;
      left += text.end - text.cut;
      return [end, text] as const;
    }),
  );
  const reading = readJsonInSteps(folded.text, {
    isBytes: !folded.isAscii,
    note: (value, end) => {
      const text = byEnd.get(end);
      if (text) {
        texts.add(value, text);
      } else {
        texts.addOther(value);
      }
    },
  });
  return { text: atOnce(reading), texts };
}

/** Bytes copied between two pauses: half a millisecond. */
const BYTES_PER_STEP = 1024 * 1024;

/** The bytes of pieces of what remains, with the long texts in them. Yields, so that long work can pause. */
export function* joinInSteps(folded: FoldedJson, pieces: readonly Piece[]): Generator<void, Buffer> {
  const parts = pieces.map((piece) =>
    typeof piece === "string"
      ? Buffer.from(piece)
      : folded.bytes.subarray(positionIn(folded, piece.from), positionIn(folded, piece.to)),
  );
  const joined = Buffer.allocUnsafe(parts.reduce((sum, { length }) => sum + length, 0));
  let place = 0;
  for (const part of parts) {
    for (let from = 0; from < part.length; from += BYTES_PER_STEP) {
      place += part.copy(joined, place, from, from + BYTES_PER_STEP);
      yield;
    }
  }
  return joined;
}
