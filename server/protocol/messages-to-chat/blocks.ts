import type { JsonObject } from "../fields";
import { messagesEvent } from "../messages/writer";
import { SYNTHETIC_SIGNATURE } from "../synthetic-thinking";

export type ProseKind = "thinking" | "text";

const starts = {
  thinking: { type: "thinking", thinking: "", signature: "" },
  text: { type: "text", text: "" },
};

/**
 * Content blocks as events: one open at a time, numbered from 0 without gaps. Claude Code loses tool input when blocks
 * overlap (CLIProxyAPI#5581), anthropic-python fails on a gap.
 */
export class BlockEvents {
  private open: ProseKind | "tool_use" | null = null;
  private next = 0;

  /** How many blocks have begun. */
  get count(): number {
    return this.next;
  }

  /** A fragment of text or thinking, in the block that is open if it is one of these. */
  addProse(kind: ProseKind, text: string): string {
    const before = this.open === kind ? "" : this.begin(kind, starts[kind]);
    return (
      before +
      this.delta(kind === "text" ? { type: "text_delta", text } : { type: "thinking_delta", thinking: text })
    );
  }

  /** `head`: the block without its input. */
  beginTool(head: JsonObject): string {
    return this.begin("tool_use", { ...head, input: {} });
  }

  /** A fragment of the arguments of the tool block that is open. */
  addArguments(partial_json: string): string {
    return partial_json === "" ? "" : this.delta({ type: "input_json_delta", partial_json });
  }

  close(): string {
    if (this.open === null) {
      return "";
    }
    const signature =
      this.open === "thinking" ? this.delta({ type: "signature_delta", signature: SYNTHETIC_SIGNATURE }) : "";
    this.open = null;
    return signature + messagesEvent({ type: "content_block_stop", index: this.next - 1 });
  }

  /** What an answer without any content holds: clients look at the first block without asking whether there is one. */
  addEmptyText(): string {
    return this.begin("text", starts.text);
  }

  private begin(kind: ProseKind | "tool_use", content_block: JsonObject): string {
    const closing = this.close();
    this.open = kind;
    return closing + messagesEvent({ type: "content_block_start", index: this.next++, content_block });
  }

  private delta(delta: JsonObject): string {
    return messagesEvent({ type: "content_block_delta", index: this.next - 1, delta });
  }
}
