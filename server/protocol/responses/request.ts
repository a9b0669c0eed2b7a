import { z } from "zod";
import { errorMessages } from "@/server/base/error-messages";
import { GatewayError } from "@/server/base/errors";
import type { Texts } from "@/server/base/language";
import { unserved } from "@/server/domain/unserved";
import { isJsonObject, type JsonObject, numberOf, textOf } from "../fields";
import { isListOf, memberReader, requireModel } from "../json/object";
import { type JsonSource, type JsonText, readJsonText } from "../json/text";
import { scalarGuards } from "../scalars";

/** The stored state that a request refers to; the gateway keeps it for the account. */
export type Referred = {
  /** The response that it continues. null: none. */
  previousId: string | null;
  /** The conversation that it continues and is added to. null: none. */
  conversationId: string | null;
  /** Items of earlier responses that its input names only by their identifier. */
  itemIds: string[];
};

/** A request of the Responses API, parsed only as far as the gateway uses it. */
export type ResponsesRequest = JsonText & {
  model: string;
  isStream: boolean;
  /** Reasoning included. null: the client named no limit. */
  maxOutputTokens: number | null;
  /** The call runs whether its client waits or not. */
  isBackground: boolean;
  /** The client wants to continue from the answer later; this is the default. */
  isStored: boolean;
  referred: Referred;
  /** The client's items; a text becomes a message of the user. */
  input: JsonObject[];
};

const areItems = isListOf(isJsonObject);

const itemsSchema = { type: "array", items: { type: "object" } };
const tool = { type: "object", properties: { type: { type: "string" } }, required: ["type"] };

/** A list with at most `limit` items. */
export const itemsOfAtMost = (limit: number) =>
  z
    .custom<JsonObject[]>((value) => areItems(value) && value.length <= limit)
    .meta({ ...itemsSchema, maxItems: limit });

const conversationId = z.string().min(1).max(256);

const scalars = scalarGuards("responses");

/** The reference shows this schema. `meta` describes a custom check, which JSON Schema cannot print. */
export const responsesSchema = z.looseObject({
  model: z.string().min(1).max(256),
  input: z
    .custom<string | JsonObject[]>((value) => typeof value === "string" || areItems(value))
    .meta({ anyOf: [{ type: "string" }, itemsSchema] })
    .nullish(),
  instructions: z.string().nullish(),
  stream: z.boolean().nullish(),
  store: z.boolean().nullish(),
  background: z.boolean().nullish(),
  previous_response_id: z.string().max(256).nullish(),
  conversation: z.union([conversationId, z.looseObject({ id: conversationId })]).nullish(),
  // Every response repeats them, and there each has a type.
  tools: z.custom<JsonObject[]>(areItems).meta({ type: "array", items: tool }).nullish(),
  // Every response repeats some of these, too.
  ...scalars.shape,
});

const explanations: Record<string, Texts> = {
  model: errorMessages.mustBeText("model"),
  input: errorMessages.responsesInput(),
  instructions: errorMessages.mustBeText("instructions"),
  stream: errorMessages.mustBeBoolean("stream"),
  store: errorMessages.mustBeBoolean("store"),
  background: errorMessages.mustBeBoolean("background"),
  previous_response_id: errorMessages.mustBeText("previous_response_id"),
  conversation: errorMessages.conversation(),
  tools: errorMessages.mustBeObjects("tools"),
  ...scalars.explanations,
};

const readMembers = memberReader(responsesSchema, explanations);

/** Refuses state of a kind that the gateway does not keep: without it the call would mean something else. */
function refuseOtherState({ prompt }: JsonObject): void {
  if (prompt) {
    throw new GatewayError("invalidParameters", unserved.prompts);
  }
}

/** The state that it continues: one of two, or none. Throws invalidParameters. */
function readState({ previous_response_id, conversation }: z.infer<typeof responsesSchema>) {
  if (previous_response_id && conversation) {
    throw new GatewayError(
      "invalidParameters",
      errorMessages.notTogether("previous_response_id", "conversation"),
    );
  }
  const conversationId = typeof conversation === "string" ? conversation : (conversation?.id ?? null);
  return { previousId: previous_response_id || null, conversationId };
}

function refuseUntypedTools(tools: readonly JsonObject[]): void {
  const untyped = tools.findIndex(({ type }) => typeof type !== "string");
  if (untyped !== -1) {
    throw new GatewayError("invalidParameters", errorMessages.mustBeText(`tools[${untyped}].type`));
  }
}

/** Whether an item is only a reference. Its type may be missing. */
const isReference = ({ type, id, role, content }: JsonObject): boolean =>
  type === "item_reference" ||
  (!type && typeof id === "string" && role === undefined && content === undefined);

/** The items that these refer to. Throws invalidParameters for a repeated reference. */
export function referencesIn(items: JsonObject[]): string[] {
  const ids = items.filter(isReference).map(({ id }) => textOf(id));
  if (new Set(ids).size < ids.length) {
    throw new GatewayError("invalidParameters", errorMessages.repeatedReference());
  }
  return ids;
}

/** Throws the 400s that all endpoints share, and those of this endpoint's fields. */
export function parseResponsesRequest(source: JsonSource): ResponsesRequest {
  const text = readJsonText(source);
  requireModel(text.fields);
  const request = readMembers(text.fields);
  refuseOtherState(text.fields);
  refuseUntypedTools(request.tools ?? []);
  const { model, stream, store, input } = request;
  const state = readState(request);
  const isBackground = request.background === true;
  if (isBackground && (store === false || stream === true)) {
    throw new GatewayError("invalidParameters", errorMessages.backgroundIsKept());
  }
  const items =
    typeof input === "string" ? [{ type: "message", role: "user", content: input }] : (input ?? []);
  if (items.length === 0 && state.previousId === null && state.conversationId === null) {
    throw new GatewayError("invalidParameters", errorMessages.responsesInput());
  }
  return {
    ...text,
    model,
    isStream: stream === true,
    maxOutputTokens: numberOf(text.fields.max_output_tokens),
    isBackground,
    isStored: store !== false,
    referred: { ...state, itemIds: referencesIn(items) },
    input: items,
  };
}

/**
 * The whole conversation: the continued history, then its own input with the items that it refers to. null: one of
 * those is unknown.
 */
export function withReferred(
  { input }: Pick<ResponsesRequest, "input">,
  context: { history: JsonObject[]; items: ReadonlyMap<string, JsonObject> },
): JsonObject[] | null {
  const own = input.map((item) => (isReference(item) ? (context.items.get(textOf(item.id)) ?? null) : item));
  const items = own.filter((item) => item !== null);
  return items.length === own.length ? [...context.history, ...items] : null;
}
