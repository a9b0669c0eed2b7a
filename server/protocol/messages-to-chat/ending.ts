import type { JsonObject } from "../fields";

/**
 * What a choice says about why it ended, over one answer or many chunks, as the messages dialect puts it (fields
 * `stop_reason` and `stop_sequence`).
 */
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

  /** The output limit cut the answer, maybe in the middle of a call. */
  get isCut(): boolean {
    return this.finish === "length";
  }

  /** Clients run their tools when they read `tool_use`, whatever the upstream calls it. */
  toFields(hasToolUse: boolean): { stop_reason: string; stop_sequence: string | null } {
    if (this.isCut) {
      return { stop_reason: "max_tokens", stop_sequence: null };
    }
    if (this.finish === "content_filter" || this.isRefusal) {
      return { stop_reason: "refusal", stop_sequence: null };
    }
    if (hasToolUse) {
      return { stop_reason: "tool_use", stop_sequence: null };
    }
    return this.stopSequence !== null
      ? { stop_reason: "stop_sequence", stop_sequence: this.stopSequence }
      : { stop_reason: "end_turn", stop_sequence: null };
  }
}
