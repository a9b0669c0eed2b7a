import { z } from "zod";
import { MAX_ITEMS } from "./request";

const text = z.string().min(1);
const tokens = z.array(z.number().int().min(0)).min(1);

/**
 * The input of `parseEmbeddingsRequest`, for the reference. The parser has its own checks, which are quicker for a list
 * of thousands (`server/reference/schemas.test.ts` compares the two).
 */
export const embeddingsSchema = z.looseObject({
  model: z.string().min(1).max(256),
  input: z.union([text, z.array(text).min(1).max(MAX_ITEMS), tokens, z.array(tokens).min(1).max(MAX_ITEMS)]),
  encoding_format: z.enum(["float", "base64"]).nullish(),
});
