/** The input of calls in Google's API, for the reference; the readers also take snake_case. */
import { z } from "zod";
import { aspectRatios } from "@/server/domain/enums";
import { geminiConfigSchema } from "./request";

const anObject = z.looseObject({});
const contents = z.union([z.array(anObject).min(1), anObject]);

export const geminiSchema = z.looseObject({
  contents,
  generationConfig: geminiConfigSchema.nullish(),
});

export const geminiCountSchema = z
  .looseObject({ contents: contents.nullish(), generateContentRequest: z.unknown().optional() })
  .meta({ anyOf: [{ required: ["contents"] }, { required: ["generateContentRequest"] }] });

const content = z.looseObject({
  parts: z.union([z.array(z.looseObject({ text: z.string() })), z.looseObject({ text: z.string() })]),
});
const embedFields = { content, outputDimensionality: z.number().int().min(1).nullish() };

export const geminiEmbedSchema = z.looseObject(embedFields);
export const geminiBatchSchema = z.looseObject({ requests: z.array(z.looseObject(embedFields)).min(1) });

export const geminiPredictSchema = z.looseObject({
  instances: z.array(z.looseObject({ prompt: z.string().min(1) })).length(1),
  parameters: z
    .looseObject({
      sampleCount: z.number().int().min(1).max(10).nullish(),
      aspectRatio: z.enum(aspectRatios).nullish(),
    })
    .nullish(),
});
