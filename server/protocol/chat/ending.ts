import type { JsonObject } from "../fields";
import { finishKind } from "../finish";
import type { Stop } from "../pivot/answer";

/** What a choice says about why it ended, over one answer or many chunks. */
export class Ending {
  private finish: string | null = null;
  private stopSequence: string | null = null;
  private isRefusal = false;

  /** Takes a normalised choice; `said`: its message or delta. */
  note(choice: JsonObject, said: JsonObject): void {
    if (typeof choice.finish_reason === "string") {
      this.finish = choice.finish_reason;
    }
    // vLLM: the stop sequence that it met, or the number of a token.
    if (typeof choice.stop_reason === "string" && choice.stop_reason !== "") {
      this.stopSequence = choice.stop_reason;
    }
    this.isRefusal ||= typeof said.refusal === "string" && said.refusal !== "";
  }

  /** A word that nobody knows is no normal end, and no other dialect has it. */
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
