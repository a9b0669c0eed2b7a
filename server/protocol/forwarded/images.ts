import { errorMessages } from "@/server/base/error-messages";
import type { UsageSource } from "@/server/domain/enums";
import { unitNameOf } from "@/server/domain/units";
import { nearest, type PriceSheet, withoutConditions } from "@/server/pricing";
import { isJsonObject, type JsonObject, textOf } from "../fields";
import { readModel, refuse } from "../json/object";
import { type Form, readBoolean, readFields } from "../multipart/form";
import type { FormPart } from "../multipart/parts";
import type { CountedUsage } from "../upstream-plan";
import { countTokens } from "../usage/estimate";
import { readCount } from "../usage/usage";
import {
  type BillableParts,
  hasTokenPrice,
  type JsonReader,
  type KnownForwarded,
  type SoldAt,
  usageOf,
  withoutNone,
} from "./forwarded";
import { countAsked, countNames, countSketches } from "./picture-count";

/** A size or quality from a request or an answer. `auto`: not stated. */
const word = (value: unknown) => {
  const text = textOf(value).toLowerCase();
  return /^[a-z0-9_-]{1,20}$/.test(text) ? text : "auto";
};

function read(fields: JsonObject): BillableParts {
  const { prompt, stream, size, quality } = fields;
  if (typeof prompt !== "string" || prompt === "") {
    throw refuse(errorMessages.mustBeNonEmptyText("prompt"));
  }
  // An upstream might accept other values as true.
  if (stream !== undefined && stream !== null && typeof stream !== "boolean") {
    throw refuse(errorMessages.mustBeBoolean("stream"));
  }
  return {
    isStream: stream === true,
    tokens: Math.ceil(countTokens(prompt)),
    units: {},
    pictures: {
      count: countAsked(fields),
      sketches: countSketches(fields),
      size: word(size),
      quality: word(quality),
      inputs: countGiven(fields.image) + countGiven(fields.images),
    },
  };
}

function countGiven(value: unknown): number {
  if (Array.isArray(value)) {
    return value.length;
  }
  return value === undefined || value === null ? 0 : 1;
}

/** The most tokens that a vendor counts for a given picture, at its highest fidelity; and about the usual count. */
const MOST_GIVEN_TOKENS = 8_192;
const USUAL_GIVEN_TOKENS = 1_024;

const haveOwnPrice = ({ prices }: SoldAt) => nearest(prices, "image_input") !== null;

type ImageKind = { size: string; quality: string };

const imagePrices = ({ prices }: SoldAt): PriceSheet =>
  new Map([...withoutConditions(prices)].filter(([name]) => unitNameOf(name) === "image"));

/** The unit of this size and quality; the dearest one if the vendor chooses. null: the model does not sell it. */
function unitOf({ size, quality }: ImageKind, model: SoldAt): string | null {
  const priced = imagePrices(model);
  if (size !== "auto" && quality !== "auto") {
    const unit = `image:${size}:${quality}`;
    return nearest(priced, unit) ? unit : null;
  }
  const choices = (named: string, place: number) =>
    named === "auto"
      ? new Set(["auto", ...[...priced.keys()].flatMap((name) => name.split(":")[place] ?? [])])
      : [named];
  const qualities = [...choices(quality, 2)];
  const fitting = [...choices(size, 1)].flatMap((wide) =>
    qualities.flatMap((fine) => nearest(priced, `image:${wide}:${fine}`) ?? []),
  );
  const dearest = fitting.reduce<ReturnType<typeof nearest>>(
    (highest, each) => (highest && highest.price >= each.price ? highest : each),
    null,
  );
  return dearest?.name ?? null;
}

const usual: ImageKind = { size: "auto", quality: "auto" };

/** Size and quality of the finished pictures by the answer, otherwise by the request. */
function madeKind({ size, quality }: JsonObject, fallback: ImageKind): ImageKind {
  const kind = { size: word(size), quality: word(quality) };
  return {
    size: kind.size === "auto" ? fallback.size : kind.size,
    quality: kind.quality === "auto" ? fallback.quality : kind.quality,
  };
}

/** Whether an entry holds a picture. Other entries hold the reason for a failure (Ark), or only the revised prompt. */
export const isPicture = ({ error, revised_prompt: _words, ...picture }: JsonObject): boolean =>
  !error && Object.values(picture).some((value) => typeof value === "string" && value !== "");

/** Tokens of a picture of a million pixels, as OpenAI counts its models' pictures. */
const tokensOf: Record<string, number> = { low: 272, medium: 1_056, high: 4_160 };
const PIXELS = 1_024 * 1_024;
/** The largest size that vendors draw if the client names none. */
const USUAL_PIXELS = 1_024 * 1_536;

/** The estimate for a vendor that reports no count. */
function estimateTokens({ size, quality }: ImageKind, { maxOutputTokens }: SoldAt): number {
  const [, width, height] = /^(\d{2,5})x(\d{2,5})$/.exec(size) ?? [];
  const pixels = width && height ? Number(width) * Number(height) : USUAL_PIXELS;
  const each = (Object.hasOwn(tokensOf, quality) && tokensOf[quality]) || 4_160;
  return Math.min(Math.ceil((each * pixels) / PIXELS), maxOutputTokens);
}

type Tokens = { input: number; output: number; pictures: number; source: UsageSource };

/** `isWhole`: the vendor counted everything that the charge needs. `isTold`: it counted a part. */
function sourceOf({ isWhole, isTold }: { isWhole: boolean; isTold: boolean }): UsageSource {
  if (isWhole) {
    return "upstream";
  }
  return isTold ? "partial" : "estimated";
}

/** Tokens of an answer. Estimates them only if the model has a price per token. */
function countAnswer(value: unknown, estimate: Omit<Tokens, "source">, sold: SoldAt): Tokens {
  const usage = isJsonObject(value) ? value : {};
  const input = readCount(usage.input_tokens);
  const output = readCount(usage.output_tokens);
  const inputs = isJsonObject(usage.input_tokens_details) ? usage.input_tokens_details : {};
  const isRead = hasTokenPrice(sold, "input") || (estimate.pictures > 0 && haveOwnPrice(sold));
  const read = input ?? (isRead ? estimate.input : 0);
  const pictures = input === null ? estimate.pictures : (readCount(inputs.image_tokens) ?? 0);
  const made = output ?? (hasTokenPrice(sold, "output") ? estimate.output : 0);
  const isWhole = (input !== null || read === 0) && (output !== null || made === 0);
  return {
    input: read,
    output: made,
    pictures: Math.min(pictures, read),
    source: sourceOf({ isWhole, isTold: input !== null || output !== null }),
  };
}

/** The usage of an answer. `data`: its pictures. */
export function countPictures(
  { data, ...answer }: JsonObject & { data: JsonObject[] },
  { billableParts }: KnownForwarded,
  sold: SoldAt,
): CountedUsage {
  const made = data.filter(isPicture).length;
  const fallback = billableParts.pictures ?? usual;
  const kind = madeKind(answer, fallback);
  const unit = unitOf(kind, sold) ?? unitOf(fallback, sold);
  // A model with a price by the piece needs no estimate of tokens.
  const drawn = unit === null ? made * estimateTokens(kind, sold) : 0;
  const pictureTokens = (billableParts.pictures?.inputs ?? 0) * USUAL_GIVEN_TOKENS;
  const estimate = { input: billableParts.tokens + pictureTokens, output: drawn, pictures: pictureTokens };
  const { input, output, pictures, source } = countAnswer(answer.usage, estimate, sold);
  const areApart = haveOwnPrice(sold);
  return {
    usage: usageOf(
      { input: areApart ? input - pictures : input, output },
      { ...(unit !== null && { [unit]: made }), image_input: areApart ? pictures : 0 },
    ),
    // The gateway counts pieces itself, whatever else is estimated.
    source: unit !== null && source === "estimated" ? "partial" : source,
  };
}

/**
 * POST /v1/images/generations. The model's prices decide whether images are charged by the piece, by tokens, or both.
 */
export const imageReader: JsonReader = {
  read,
  ceiling: ({ model, billableParts: { tokens, pictures } }, sold) => {
    const { count, inputs, sketches, ...kind } = pictures ?? { ...usual, count: 1, inputs: 0, sketches: 0 };
    const unit = unitOf(kind, sold);
    if (unit === null && imagePrices(sold).size > 0) {
      throw refuse(errorMessages.imageNotPriced(model, `${kind.size}, ${kind.quality}`));
    }
    const read = inputs * MOST_GIVEN_TOKENS;
    const areApart = haveOwnPrice(sold);
    return {
      inputTokens: tokens + (areApart || !hasTokenPrice(sold, "input") ? 0 : read),
      // A model without an output price is not charged for output tokens.
      maxOutputTokens: hasTokenPrice(sold, "output") ? sold.maxOutputTokens : 0,
      // A sketch is 100 tokens of OpenAI's: all sketches together cost less than one more picture.
      choices: count + (sketches > 0 ? 1 : 0),
      units: withoutNone({ ...(unit !== null && { [unit]: count }), image_input: areApart ? read : 0 }),
    };
  },
  readAnswer: (answer, request, sold) => {
    const { data } = answer;
    if (!Array.isArray(data) || !data.every(isJsonObject)) {
      return null;
    }
    const { model } = request;
    return {
      ...countPictures({ ...answer, data }, request, sold),
      body: answer.model === undefined ? answer : { ...answer, model },
    };
  },
};

/** POST /v1/images/edits: generations that start from pictures. */
export const editReader: JsonReader = {
  ...imageReader,
  read: (fields) => {
    const parts = read(fields);
    if (parts.pictures?.inputs === 0) {
      throw refuse(errorMessages.mustBeFile("image"));
    }
    return parts;
  },
};

/**
 * Whether a part is an input picture, under any vendor's name. Vendors may read each file except the mask, which marks
 * the area to draw.
 */
const isGiven = ({ name, isFile }: FormPart) =>
  /^image(?:\[\d*\])?$/.test(name) || (isFile && name !== "mask");

/** Converts a number that a form sends as text; the field's reader refuses other text. */
const numberIn = (text: string) => (/^\d{1,9}$/.test(text) ? Number(text) : text);

/**
 * Reads edits sent as a form. `pathModel`: the model in the address, if the form has none. Throws the 400s of spec
 * section 7.
 */
export function parseEdit(form: Form, pathModel: string | null): KnownForwarded {
  const { texts } = readFields(form);
  const counts = [...countNames, "partial_images"].flatMap((name) => {
    const text = texts[name];
    return text === undefined ? [] : [[name, numberIn(text)]];
  });
  const { stream, ...fields } = texts;
  const parts = editReader.read({
    ...fields,
    ...Object.fromEntries(counts),
    stream: readBoolean(stream) ?? stream,
    image: form.parts.filter(isGiven).map(({ name }) => name),
  });
  return { model: readModel({ model: texts.model || pathModel }), billableParts: parts };
}
