import { errorMessages } from "@/server/base/error-messages";
import { refuse } from "../json-object";
import type { CountedUsage } from "../upstream-plan";
import { type ForwardedEndpoint, type KnownForwarded, mostAsAsked, usageOf } from "./forwarded";

/** Counts Unicode code points: a surrogate pair is one. Builds no list of them, which would take a gigabyte. */
const countCharacters = (text: string): number =>
  text.length - (text.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0);

/** The usage of a spoken text: its characters, known in advance. */
export const speechCounted = ({ billableParts }: KnownForwarded): CountedUsage => ({
  usage: usageOf({ input: 0, output: 0 }, billableParts.units),
  source: "request",
});

/** POST /v1/audio/speech, whose answer is audio. */
export const speech: Pick<ForwardedEndpoint, "read" | "ceiling"> = {
  read: ({ input }) => {
    if (typeof input !== "string" || input === "") {
      throw refuse(errorMessages.mustBeNonEmptyText("input"));
    }
    return { tokens: 0, units: { character: countCharacters(input) } };
  },
  ceiling: mostAsAsked,
};
