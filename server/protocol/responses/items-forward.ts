/** The items of a call that stays in its dialect: as its upstream is sent them, and as its client gets them. */
import type { Capabilities } from "../capabilities";
import { type JsonObject, textOf } from "../fields";
import { fromEnvelope, isEnvelope, toEnvelope } from "../pivot/sealed";
import { reasoningText, sealOf } from "./answer-in";
import { expandCompaction } from "./compaction";
import { withServedTools } from "./hosted-forward";
import { isItemKind, mintItemId, responseIdOf } from "./ids";
import { reasoningItems } from "./items-out";

/** Without an identifier of ours, which a vendor that stores nothing for us would look up and not find. */
function unnamed(item: JsonObject): JsonObject {
  const { id, ...rest } = item;
  return responseIdOf(textOf(id)) === null ? item : rest;
}

/** What we put around what a vendor encrypted is taken off for that vendor; any other is not sent it. */
function openSealed(item: JsonObject, capabilities: Capabilities): JsonObject[] {
  const carried = fromEnvelope(textOf(item.encrypted_content));
  if (carried?.type === "thinking" && carried.seal?.origin === "openai") {
    return [{ ...item, encrypted_content: carried.seal.data }];
  }
  return carried ? reasoningItems(carried, capabilities) : [];
}

const hasContent = ({ content }: JsonObject) => Array.isArray(content) && content.length > 0;

function forwardItem(sent: JsonObject, capabilities: Capabilities): JsonObject[] {
  const item = unnamed(sent);
  if (isEnvelope(item.encrypted_content)) {
    return openSealed(item, capabilities);
  }
  switch (item.type) {
    case "reasoning":
      // One that only its identifier tells is in nobody's store (zed#59207).
      return textOf(item.encrypted_content) !== "" || hasContent(item) ? [item] : [];
    case "additional_tools":
    case "tool_search_output":
      return [withServedTools(item, capabilities)];
    default:
      return [item];
  }
}

/** A client's items for an upstream of this dialect. */
export const forwardItems = (items: JsonObject[], capabilities: Capabilities): JsonObject[] =>
  items.flatMap((item) => forwardItem(expandCompaction(item), capabilities));

/** What a vendor encrypted, with whose it is. */
export function sealItem(item: JsonObject): JsonObject {
  const seal = sealOf(item);
  if (seal === null) {
    return item;
  }
  const text = item.type === "reasoning" ? reasoningText(item) : "";
  return { ...item, encrypted_content: toEnvelope({ type: "thinking", text, seal }) };
}

/**
 * The identifiers of a response's items. Each is one of ours, by which a client may refer to it later, from an item's
 * first event to the last: an upstream's own can change on the way.
 */
export class ItemNames {
  private readonly responseId: string;
  private readonly known = new Map<string, string>();
  private readonly places = new Map<number, string>();

  constructor(responseId: string) {
    this.responseId = responseId;
  }

  /** `place`: its output_index. */
  name(item: JsonObject, place: number): JsonObject {
    if (!isItemKind(item.type)) {
      return item;
    }
    const sent = textOf(item.id);
    const id = this.known.get(sent) ?? mintItemId(this.responseId, item.type, place);
    this.places.set(place, id);
    if (sent !== "") {
      this.known.set(sent, id);
    }
    return { ...item, id };
  }

  /** An item's identifier where an event of it has one. */
  of(sent: unknown, place: number): unknown {
    return this.known.get(textOf(sent)) ?? this.places.get(place) ?? sent;
  }
}
