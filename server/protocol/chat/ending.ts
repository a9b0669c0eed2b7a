import type { JsonObject } from "../fields";
import { finishKind } from "../finish";
import type { Stop } from "../pivot/answer";

/** Collects the reasons why a choice ended, from one answer or many chunks. */
export class ChoiceEnding {
  private finish: string | null = null;
  private stopSequence: string | null = null;
  private isRefusal = false;

  /** Reads a normalised choice. `message`: its message or delta. */
  note(choice: JsonObject, message: JsonObject): void {
    if (typeof choice.finish_reason === "string") {
      this.finish = choice.finish_reason;
    }
    // vLLM: the stop sequence that ended the text, or the number of a token.
    if (typeof choice.stop_reason === "string" && choice.stop_reason !== "") {
      this.stopSequence = choice.stop_reason;
    }
    this.isRefusal ||= typeof message.refusal === "string" && message.refusal !== "";
  }

  /** An unknown word is no normal end, and no other dialect has a word for it. */
  get isReadable(): boolean {
    const kind = finishKind(this.finish);
    return kind !== "unknown" && kind !== "failure";
  }

  /** The output limit cut the answer, maybe in the middle of a call. */
  get isCut(): boolean {
    return this.finish === "length";
  }

  get stop(): Stop {
    if (this.isCut) {
      return { reason: "length", sequence: null };
    }
    if (this.finish === "content_filter" || this.isRefusal) {
      return { reason: "refusal", sequence: null };
    }
    return this.stopSequence === null
      ? { reason: "end", sequence: null }
      : { reason: "stop_sequence", sequence: this.stopSequence };
  }
}
