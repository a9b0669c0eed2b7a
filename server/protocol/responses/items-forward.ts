/** The items of a call that stays in its dialect: in the upstream's form, and in the client's. */
import type { Capabilities } from "../capabilities";
import { type JsonObject, textOf } from "../fields";
import { fromEnvelope, isEnvelope, toEnvelope } from "../pivot/sealed";
import { reasoningText, sealOf } from "./answer-in";
import { expandCompaction } from "./compaction";
import { withServedTools } from "./hosted-forward";
import { isItemKind, mintItemId, responseIdOf } from "./ids";
import { reasoningItems } from "./items-out";

/**
 * Removes an identifier of the gateway: a vendor that stores nothing for the gateway would look it up and not find it.
 */
function unnamed(item: JsonObject): JsonObject {
  const { id, ...rest } = item;
  return responseIdOf(textOf(id)) === null ? item : rest;
}

/** Unwraps the vendor's own encrypted data; another vendor's is not sent. */
function openSealed(item: JsonObject, capabilities: Capabilities): JsonObject[] {
  const carried = fromEnvelope(textOf(item.encrypted_content));
  if (carried?.type === "thinking" && carried.seal?.origin === "openai") {
    return [{ ...item, encrypted_content: carried.seal.data }];
  }
  return carried ? reasoningItems(carried, capabilities) : [];
}

const hasContent = ({ content }: JsonObject) => Array.isArray(content) && content.length > 0;

function forwardItem(source: JsonObject, capabilities: Capabilities): JsonObject[] {
  const item = unnamed(source);
  if (isEnvelope(item.encrypted_content)) {
    return openSealed(item, capabilities);
  }
  switch (item.type) {
    case "reasoning":
      // A reasoning item with only an identifier is stored nowhere (zed#59207).
      return textOf(item.encrypted_content) !== "" || hasContent(item) ? [item] : [];
    case "additional_tools":
    case "tool_search_output":
      return [withServedTools(item, capabilities)];
    default:
      return [item];
  }
}

/** A client's items in the form of an upstream of this dialect. */
export const forwardItems = (items: JsonObject[], capabilities: Capabilities): JsonObject[] =>
  items.flatMap((item) => forwardItem(expandCompaction(item), capabilities));

/** Wraps encrypted data together with its vendor's name. */
export function sealItem(item: JsonObject): JsonObject {
  const seal = sealOf(item);
  if (seal === null) {
    return item;
  }
  const text = item.type === "reasoning" ? reasoningText(item) : "";
  return { ...item, encrypted_content: toEnvelope({ type: "thinking", text, seal }) };
}

/**
 * Gives a response's items the gateway's identifiers, by which a client may refer to them later. Each stays the same
 * from the item's first event to the last: an upstream's own may change on the way.
 */
export class ItemNames {
  private readonly responseId: string;
  private readonly ids = new Map<string, string>();
  private readonly places = new Map<number, string>();

  constructor(responseId: string) {
    this.responseId = responseId;
  }

  /** `place`: its output_index. */
  name(item: JsonObject, place: number): JsonObject {
    if (!isItemKind(item.type)) {
      return item;
    }
    const upstreamId = textOf(item.id);
    const id = this.ids.get(upstreamId) ?? mintItemId(this.responseId, item.type, place);
    this.places.set(place, id);
    if (upstreamId !== "") {
      this.ids.set(upstreamId, id);
    }
    return { ...item, id };
  }

  /** The identifier of an event's item. */
  of(upstreamId: unknown, place: number): unknown {
    return this.ids.get(textOf(upstreamId)) ?? this.places.get(place) ?? upstreamId;
  }
}
