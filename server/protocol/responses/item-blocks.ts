import { atOnce } from "@/server/base/turns";
import { type JsonObject, objects } from "../fields";
import type { AnswerEvent, BlockHead } from "../pivot/answer";
import { readUrlCitation } from "../pivot/citations";
import type { TokenLogprob } from "../pivot/logprobs";
import { type PartContent, readPart, reasoningText, sealOf } from "./answer-in";
import type { StreamItem } from "./item-stream";

/** Turns items into the pivot's blocks, of which one at a time is open. */
export class ItemBlocks {
  private events: AnswerEvent[] = [];
  private isOpen = false;
  private next = 0;
  hasRefused = false;

  push(event: AnswerEvent): void {
    this.events.push(event);
  }

  /** The events since the last call. */
  take(): AnswerEvent[] {
    return this.events.splice(0);
  }

  open(item: StreamItem, part: string, block: BlockHead): void {
    this.close();
    item.part = part;
    this.isOpen = true;
    this.push({ type: "open", index: this.next++, block });
  }

  close(): void {
    if (this.isOpen) {
      this.isOpen = false;
      this.push({ type: "close", index: this.next - 1 });
    }
  }

  grow(item: StreamItem, text: string, logprobs: TokenLogprob[] = []): void {
    if (text !== "" || logprobs.length > 0) {
      item.hasSaid = true;
      if (item.kind === "call") {
        item.argumentPieces.push(text);
      }
      const members = logprobs.length > 0 && { logprobs };
      this.push({ type: "grow", index: this.next - 1, text, ...members });
    }
  }

  /** Adds a page that the open part cites. */
  cite(item: StreamItem, annotation: JsonObject, place: unknown): void {
    const citation = annotation.type === "url_citation" ? readUrlCitation(annotation) : null;
    if (citation !== null && this.isOpen && item.part === `text ${place ?? 0}`) {
      this.push({ type: "cite", index: this.next - 1, citation });
    }
  }

  say(item: StreamItem, { type, text, place, logprobs }: PartContent & { place: unknown }): void {
    if (item.kind !== "message") {
      return;
    }
    this.hasRefused ||= type === "refusal";
    const part = `${type} ${place ?? 0}`;
    if (item.part !== part) {
      this.open(item, part, { type });
    }
    this.grow(item, text, logprobs);
  }

  /** If a vendor sends both the thinking and its summary, only the form that comes first is read. */
  think(item: StreamItem, text: string, part: string): void {
    if (item.kind !== "reasoning") {
      return;
    }
    const [form = ""] = part.split(" ");
    if (item.part === "") {
      this.open(item, part, { type: "thinking" });
    } else if (!item.part.startsWith(form)) {
      return;
    } else if (item.part !== part) {
      item.part = part;
      this.grow(item, "\n\n");
    }
    this.grow(item, text);
  }

  endCall(item: StreamItem): void {
    this.grow(item, item.hasSaid && item.part === "custom_tool_call" ? '"}' : "");
  }

  /** Adds a whole message, unless its pieces have come. */
  completeMessage(item: StreamItem, message: JsonObject): void {
    const parts = item.hasSaid ? [] : objects(message.content);
    for (const [index, sentPart] of parts.entries()) {
      const part = atOnce(readPart(sentPart));
      if (part) {
        this.say(item, { ...part, place: index });
        for (const annotation of objects(sentPart.annotations)) {
          this.cite(item, annotation, index);
        }
      }
    }
  }

  /**
   * Adds the text of a whole reasoning item, unless its pieces have come, and its seal, which only the whole item has.
   */
  completeReasoning(item: StreamItem, reasoning: JsonObject): void {
    const text = item.hasSaid ? "" : reasoningText(reasoning);
    const seal = sealOf(reasoning);
    if (!item.hasSaid && (text !== "" || seal !== null)) {
      this.open(item, "whole", { type: "thinking" });
      this.grow(item, text);
    }
    if (seal !== null) {
      this.push({ type: "seal", index: this.next - 1, seal });
    }
  }
}
