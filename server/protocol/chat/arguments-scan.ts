const QUOTE = 0x22;
const BACKSLASH = 0x5c;

const isSpace = (code: number) => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
const isOpening = (code: number) => code === 0x7b || code === 0x5b;
const isClosing = (code: number) => code === 0x7d || code === 0x5d;

/**
 * Where the text of one JSON object stands, as its fragments come by: each character is looked at once and none is
 * kept. `broken`: it begins as something else than an object, or goes on after its end.
 */
export class ArgumentsScan {
  state: "blank" | "inside" | "complete" | "broken" = "blank";
  /** Of all that was read: enough to tell whether a text is the same. */
  private length = 0;
  private hash = 0;
  private depth = 0;
  private isString = false;
  private isEscaped = false;

  read(fragment: string): void {
    this.length += fragment.length;
    for (let place = 0; place < fragment.length && this.state !== "broken"; place++) {
      const code = fragment.charCodeAt(place);
      this.hash = (Math.imul(this.hash, 31) + code) | 0;
      this.step(code);
    }
  }

  /** Reads a fragment, but for one that says all of the object once more, as some vendors do at its end. Answers what is new. */
  readNew(fragment: string): string {
    if (this.state === "complete" && fragment.length === this.length) {
      const again = new ArgumentsScan();
      again.read(fragment);
      if (again.hash === this.hash) {
        return "";
      }
    }
    this.read(fragment);
    return fragment;
  }

  private step(code: number): void {
    if (this.state === "inside") {
      this.stepInside(code);
    } else if (!isSpace(code)) {
      const begins = this.state === "blank" && code === 0x7b;
      this.state = begins ? "inside" : "broken";
      this.depth = 1;
    }
  }

  private stepInside(code: number): void {
    if (this.isEscaped) {
      this.isEscaped = false;
    } else if (this.isString) {
      this.isEscaped = code === BACKSLASH;
      this.isString = code !== QUOTE;
    } else if (code === QUOTE) {
      this.isString = true;
    } else if (isOpening(code)) {
      this.depth++;
    } else if (isClosing(code)) {
      this.depth--;
      this.state = this.depth === 0 ? "complete" : "inside";
    }
  }
}
