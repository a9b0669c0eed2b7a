import { ArgumentsScan } from "../tools/arguments-scan";
import { isBlankArguments } from "../tools/call-arguments";
import type { CallFragment } from "./called";

/** A tool call that is still arriving, with the arguments that have not been passed on. */
export class StreamedCall {
  readonly index: number;
  id = "";
  name = "";
  private held = "";
  private readonly scan = new ArgumentsScan();

  constructor(index: number) {
    this.index = index;
  }

  /** Vendors repeat id and name; the first that is not empty counts. */
  add(called: CallFragment): void {
    this.id ||= called.id;
    this.name ||= called.name;
    this.held += this.scan.readNew(called.fragment);
  }

  /** All of its arguments have arrived. */
  get isComplete(): boolean {
    return this.scan.state === "complete";
  }

  get isBlank(): boolean {
    return this.scan.state === "blank";
  }

  /** The arguments are a tool's input: one JSON object, or nothing, or a vendor's `null` for nothing. */
  get isUsable(): boolean {
    return this.isComplete || this.isBlank || (this.held.trim() !== "" && isBlankArguments(this.held));
  }

  /** Returns the arguments since the last call; "" while they do not look like a JSON object. */
  take(): string {
    if (this.scan.state !== "inside" && this.scan.state !== "complete") {
      return "";
    }
    const text = this.held;
    this.held = "";
    return text;
  }
}
