import { details } from "@/server/base/details";
import { type JsonObject, textOf } from "../fields";
import type { Counted } from "../upstream-plan";
import { type ForwardedEndpoint, type ForwardedRequest, refuse, usageOf } from "./forwarded";

const charactersOf = ({ input }: JsonObject): number => [...textOf(input)].length;

/** What a spoken text came to: its characters, which are known before. */
export const speechCounted = ({ fields }: ForwardedRequest): Counted => ({
  usage: usageOf({ input: 0, output: 0 }, { character: charactersOf(fields) }),
  source: "request",
});

/** POST /v1/audio/speech, whose answer is sound. */
export const speech: Pick<ForwardedEndpoint, "check" | "most"> = {
  check: (fields) => {
    if (typeof fields.input !== "string" || fields.input === "") {
      throw refuse(details.mustBeNonEmptyText("input"));
    }
  },
  most: ({ fields }) => ({
    inputTokens: 0,
    maxOutputTokens: 0,
    units: { character: charactersOf(fields) },
  }),
};
