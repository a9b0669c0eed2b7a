import { details } from "@/server/base/details";
import { refuse } from "../json-object";
import type { Counted } from "../upstream-plan";
import { type ForwardedEndpoint, type KnownForwarded, mostAsAsked, usageOf } from "./forwarded";

/** Unicode's code points: two units of UTF-16 that are one. Without a list of them, which takes a gigabyte. */
const countCharacters = (text: string): number =>
  text.length - (text.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0);

/** What a spoken text came to: its characters, which are known before. */
export const speechCounted = ({ asked }: KnownForwarded): Counted => ({
  usage: usageOf({ input: 0, output: 0 }, asked.units),
  source: "request",
});

/** POST /v1/audio/speech, whose answer is sound. */
export const speech: Pick<ForwardedEndpoint, "read" | "most"> = {
  read: ({ input }) => {
    if (typeof input !== "string" || input === "") {
      throw refuse(details.mustBeNonEmptyText("input"));
    }
    return { tokens: 0, units: { character: countCharacters(input) } };
  },
  most: mostAsAsked,
};
