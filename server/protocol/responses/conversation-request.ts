import { z } from "zod";
import { errorMessages } from "@/server/base/error-messages";
import type { Texts } from "@/server/base/language";
import type { JsonObject } from "../fields";
import { explainFailure } from "../json/object";
import { type JsonSource, readJsonText } from "../json/text";
import { metadataSchema } from "../scalars";
import { itemsOfAtMost } from "./request";

/** OpenAI's limit of items in one request. */
const MOST_ITEMS = 20;

const items = itemsOfAtMost(MOST_ITEMS);

export const conversationSchema = z.looseObject({
  items: items.nullish(),
  metadata: metadataSchema.nullish(),
});
export const conversationUpdateSchema = z.looseObject({ metadata: metadataSchema.nullable() });
export const conversationItemsSchema = z.looseObject({ items });

/** The content of a conversation request; missing members are empty. */
export type ConversationBody = { input: JsonObject[]; metadata: Record<string, string> };

const explanations: Record<string, Texts> = {
  items: errorMessages.conversationItems(MOST_ITEMS),
  metadata: errorMessages.metadata(),
};

type Fields = {
  items?: JsonObject[] | null | undefined;
  metadata?: Record<string, string> | null | undefined;
};

/** Throws the 400s that all endpoints share, and those of these members. */
const reads =
  (schema: z.ZodType<Fields>) =>
  (source: JsonSource): ConversationBody => {
    const parsed = schema.safeParse(readJsonText(source).fields);
    if (!parsed.success) {
      throw explainFailure(parsed.error, explanations);
    }
    return { input: parsed.data.items ?? [], metadata: parsed.data.metadata ?? {} };
  };

/** The bodies of the endpoints below `/v1/conversations`. */
export const conversationBodies = {
  conversation: reads(conversationSchema),
  conversationUpdate: reads(conversationUpdateSchema),
  conversationItems: reads(conversationItemsSchema),
};
