import { z } from "zod";
import { errorMessages } from "@/server/base/error-messages";
import { both } from "@/server/base/language";
import type { JsonObject } from "@/server/protocol/fields";
import { type ForwardedReader, mostAsAsked } from "@/server/protocol/forwarded/forwarded";
import { refuse } from "@/server/protocol/json/object";
import { buys, type Forwarded } from "./endpoint";
import { modelName, nonEmpty } from "./schema";

/** Counts Unicode code points: a surrogate pair is one. Builds no list of them, which would take a gigabyte. */
const countCharacters = (text: string): number =>
  text.length - (text.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0);

/** POST /v1/audio/speech, whose answer is audio. */
export const speech = {
  ...buys({
    id: "createSpeech",
    name: "speech",
    path: "/v1/audio/speech",
    isAtDeployments: true,
    tag: "media",
    summary: both("文本转语音", "Create speech from text"),
    json: {
      name: "SpeechRequest",
      schema: z.looseObject({ model: modelName, input: nonEmpty }),
      passed: ["voice", "response_format"],
    },
    answers: [{ status: 200, types: ["audio/*"] }],
  }),
  kind: "speech",
  example: { body: { input: "The boat is leaving.", voice: "alloy" }, file: "speech.mp3" },
  read: ({ input }: JsonObject) => {
    if (typeof input !== "string" || input === "") {
      throw refuse(errorMessages.mustBeNonEmptyText("input"));
    }
    return { tokens: 0, units: { character: countCharacters(input) } };
  },
  ceiling: mostAsAsked,
  readAnswer: null,
} as const satisfies Forwarded & ForwardedReader;
