import { z } from "zod";
import { errorMessages } from "@/server/base/error-messages";
import { both } from "@/server/base/language";
import { isJsonObject, type JsonObject } from "@/server/protocol/fields";
import {
  countedAsRequested,
  type ForwardedReader,
  type KnownForwarded,
  mostAsAsked,
} from "@/server/protocol/forwarded/forwarded";
import { refuse } from "@/server/protocol/json/object";
import { buys, type Forwarded } from "./endpoint";
import { anything, listOf, modelName, nonEmpty, object, text } from "./schema";

/** POST /v1/moderations: free at its vendors, so such a model is free here or has a price per request. */
export const moderations = {
  ...buys({
    id: "createModeration",
    name: "moderations",
    path: "/v1/moderations",
    tag: "media",
    summary: both("内容审核", "Check whether content is harmful"),
    json: {
      name: "ModerationRequest",
      schema: z.looseObject({ model: modelName, input: z.union([nonEmpty, z.array(z.unknown()).min(1)]) }),
    },
    answers: [
      {
        status: 200,
        schema: { name: "Moderation", schema: object({ model: text, results: listOf(anything) }) },
      },
    ],
  }),
  kind: "moderation",
  example: { body: { input: "A paper boat on a quiet river" } },
  read: ({ input }: JsonObject) => {
    if (!(typeof input === "string" || Array.isArray(input)) || input.length === 0) {
      throw refuse(errorMessages.embeddingInput());
    }
    return { tokens: 0, units: {} };
  },
  ceiling: mostAsAsked,
  readAnswer: (answer: JsonObject, request: KnownForwarded) =>
    Array.isArray(answer.results) && answer.results.every(isJsonObject)
      ? { ...countedAsRequested(request), body: { ...answer, model: request.model } }
      : null,
} as const satisfies Forwarded & ForwardedReader;
