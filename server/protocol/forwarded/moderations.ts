import { errorMessages } from "@/server/base/error-messages";
import { isJsonObject } from "../fields";
import { refuse } from "../json-object";
import { type ForwardedEndpoint, mostAsAsked, usageOf } from "./forwarded";

/** POST /v1/moderations: free at its vendors, so such a model is free here or has a price per request. */
export const moderations: ForwardedEndpoint = {
  read: ({ input }) => {
    if (!(typeof input === "string" || Array.isArray(input)) || input.length === 0) {
      throw refuse(errorMessages.embeddingInput());
    }
    return { tokens: 0, units: {} };
  },
  ceiling: mostAsAsked,
  readAnswer: (answer, { model }) =>
    Array.isArray(answer.results) && answer.results.every(isJsonObject)
      ? {
          usage: usageOf({ input: 0, output: 0 }, {}),
          source: "request",
          body: { ...answer, model },
        }
      : null,
};
