import { z } from "zod";
import { both } from "@/server/base/language";
import type { ForwardedReader } from "@/server/protocol/forwarded/forwarded";
import { editReader, imageReader } from "@/server/protocol/forwarded/images";
import { buys, EVENTS, type Forwarded } from "./endpoint";
import { anything, file, integer, listOf, modelMember, modelName, nonEmpty, object, text } from "./schema";

/** A picture in its vendor's form, or a list of pictures; not checked further. */
const isGiven = (name: string) => ({
  required: [name],
  properties: { [name]: { not: { enum: [null, []] } } },
});

const drawn = {
  model: modelName,
  prompt: nonEmpty,
  n: z.number().int().min(1).max(10).nullish(),
  stream: z.boolean().nullish(),
  partial_images: z.number().int().min(0).max(3).nullish(),
};

const answers = [
  {
    status: 200,
    schema: { name: "Images", schema: object({ data: listOf(anything) }) },
    types: [EVENTS],
  },
] as const;

/** POST /v1/images/generations. */
export const images = {
  ...buys({
    id: "createImages",
    name: "images",
    path: "/v1/images/generations",
    isAtDeployments: true,
    tag: "media",
    summary: both("生成图片", "Generate images"),
    json: { name: "ImageRequest", schema: z.looseObject(drawn), passed: ["size", "quality"] },
    answers,
  }),
  kind: "image",
  example: { body: { prompt: "A paper boat on a quiet river" } },
  ...imageReader,
} as const satisfies Forwarded & ForwardedReader;

/** POST /v1/images/edits, in JSON or as a form. */
export const imageEdits = {
  ...buys({
    id: "editImages",
    name: "imageEdits",
    path: "/v1/images/edits",
    isAtDeployments: true,
    tag: "media",
    summary: both("编辑图片", "Edit images"),
    json: {
      name: "ImageEditRequest",
      schema: z
        .looseObject({ ...drawn, image: z.unknown().optional(), images: z.unknown().optional() })
        .meta({ anyOf: [isGiven("image"), isGiven("images")] }),
      passed: ["mask", "size", "quality"],
    },
    form: {
      name: "ImageEditForm",
      schema: object(
        {
          model: modelMember,
          prompt: { type: "string", minLength: 1 },
          image: listOf(file),
          mask: file,
          n: { ...integer, minimum: 1, maximum: 10 },
          size: text,
        },
        ["mask", "n", "size"],
      ),
    },
    answers,
  }),
  kind: "image",
  ...editReader,
} as const satisfies Forwarded & ForwardedReader;
