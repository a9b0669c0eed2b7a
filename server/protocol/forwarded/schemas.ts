/**
 * The input of the readers of forwarded calls, for the reference. The readers have their own checks, only for members
 * that set the price (`server/reference/schemas.test.ts` compares the two).
 */
import { z } from "zod";

const model = z.string().min(1).max(256);
const text = z.string().min(1);
/** A picture in its vendor's form, or a list of pictures; not checked further. */
const isGiven = (name: string) => ({
  required: [name],
  properties: { [name]: { not: { enum: [null, []] } } },
});

const drawn = {
  model,
  prompt: text,
  n: z.number().int().min(1).max(10).nullish(),
  stream: z.boolean().nullish(),
  partial_images: z.number().int().min(0).max(3).nullish(),
};

export const imagesSchema = z.looseObject(drawn);

export const imageEditsSchema = z
  .looseObject({ ...drawn, image: z.unknown().optional(), images: z.unknown().optional() })
  .meta({ anyOf: [isGiven("image"), isGiven("images")] });

export const speechSchema = z.looseObject({ model, input: text });

export const rerankSchema = z.looseObject({
  model,
  query: text,
  documents: z
    .array(z.union([z.string(), z.looseObject({}).meta({ minProperties: 1 })]))
    .min(1)
    .max(1_000),
});

export const moderationsSchema = z.looseObject({
  model,
  input: z.union([text, z.array(z.unknown()).min(1)]),
});
