import { ArgumentsScan } from "./arguments-scan";
import type { Called } from "./called";

/** A tool call on its way: what has come of it, and what of its arguments has not been handed on. */
export class StreamedCall {
  readonly index: number;
  id = "";
  name = "";
  private held = "";
  private readonly scan = new ArgumentsScan();

  constructor(index: number) {
    this.index = index;
  }

  /** Vendors say id and name again and again; the first that is not empty counts. */
  add(called: Called): void {
    this.id ||= called.id;
    this.name ||= called.name;
    this.held += this.scan.readNew(called.fragment);
  }

  /** Its arguments are all there. */
  get isComplete(): boolean {
    return this.scan.state === "complete";
  }

  get isBlank(): boolean {
    return this.scan.state === "blank";
  }

  /** What came of its arguments is a tool's input: one JSON object, or nothing, or a vendor's `null` for nothing. */
  get isUsable(): boolean {
    return this.isComplete || this.isBlank || this.held.trim() === "null";
  }

  /** The arguments that have come since the last time; "" while they do not look like a JSON object. */
  take(): string {
    if (this.scan.state !== "inside" && this.scan.state !== "complete") {
      return "";
    }
    const taken = this.held;
    this.held = "";
    return taken;
  }
}
