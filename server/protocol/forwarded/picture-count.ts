import { errorMessages } from "@/server/base/error-messages";
import { isJsonObject, type JsonObject } from "../fields";
import { refuse } from "../json/object";

/** OpenAI's limit. */
const MOST_IMAGES = 10;
/** Ark's limit for a series. */
const MOST_OF_SERIES = 15;

/** The number of pictures: OpenAI's name for it, SiliconFlow's and fal's. */
export const countNames = ["n", "batch_size", "num_images"];

function readCount(value: unknown, name: string, max: number): number {
  const count = value ?? 1;
  if (typeof count !== "number" || !Number.isInteger(count) || count < 1 || count > max) {
    throw refuse(errorMessages.mustBeInteger(name, { min: 1, max }));
  }
  return count;
}

/** The most pictures of a series, which Ark's models draw if the request allows it (`sequential_image_generation`). */
function countSeries({ sequential_image_generation: mode, ...fields }: JsonObject): number {
  const options = fields.sequential_image_generation_options;
  const { max_images: limit } = isJsonObject(options) ? options : {};
  return mode === undefined || mode === null || mode === "disabled"
    ? 1
    : readCount(limit ?? MOST_OF_SERIES, "max_images", MOST_OF_SERIES);
}

/** The most pictures that a request asks for, under any vendor's name. Throws invalidParameters. */
export const countAsked = (fields: JsonObject): number =>
  Math.max(countSeries(fields), ...countNames.map((name) => readCount(fields[name], name, MOST_IMAGES)));

/** OpenAI's limit of unfinished pictures per picture. */
const MOST_SKETCHES = 3;

/** The number of unfinished pictures streamed before each picture. Throws invalidParameters. */
export function countSketches({ partial_images: sketches, stream }: JsonObject): number {
  const count = sketches ?? 0;
  if (typeof count !== "number" || !Number.isInteger(count) || count < 0 || count > MOST_SKETCHES) {
    throw refuse(errorMessages.mustBeInteger("partial_images", { min: 0, max: MOST_SKETCHES }));
  }
  return stream === true ? count : 0;
}
