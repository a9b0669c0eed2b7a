import { details } from "@/server/base/details";
import type { UsageSource } from "@/server/base/facts";
import { nearestPrice, type UnitPrice, unitNameOf } from "@/server/base/units";
import { countTokens } from "../estimate";
import { isJsonObject, type JsonObject, textOf } from "../fields";
import { readModel, refuse } from "../json-object";
import { type Form, readBoolean, readFields } from "../multipart/form";
import type { Part } from "../multipart/parts";
import type { Counted } from "../upstream-plan";
import { readCount } from "../usage";
import {
  type Asked,
  type ForwardedEndpoint,
  type KnownForwarded,
  type SoldAt,
  usageOf,
  withoutNone,
} from "./forwarded";
import { countAsked, countNames, countSketches } from "./picture-count";

/** What a request says that it wants, and an answer that it became. `auto`: it says nothing. */
const word = (value: unknown) => {
  const text = textOf(value).toLowerCase();
  return /^[a-z0-9_-]{1,20}$/.test(text) ? text : "auto";
};

function read(fields: JsonObject): Asked {
  const { prompt, stream, size, quality } = fields;
  if (typeof prompt !== "string" || prompt === "") {
    throw refuse(details.mustBeNonEmptyText("prompt"));
  }
  // Whatever else an upstream might take for true.
  if (stream !== undefined && stream !== null && typeof stream !== "boolean") {
    throw refuse(details.mustBeBoolean("stream"));
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
      given: countGiven(fields.image) + countGiven(fields.images),
    },
  };
}

function countGiven(value: unknown): number {
  if (Array.isArray(value)) {
    return value.length;
  }
  return value === undefined || value === null ? 0 : 1;
}

/** The dearest that a vendor makes of a picture that it is given, at its highest fidelity; and about the usual. */
const MOST_GIVEN_TOKENS = 8_192;
const USUAL_GIVEN_TOKENS = 1_024;

const haveOwnPrice = ({ unitPrices }: SoldAt) => nearestPrice(unitPrices, "image_input") !== null;

type Kind = { size: string; quality: string };

const imagePrices = ({ unitPrices }: SoldAt) => unitPrices.filter(({ unit }) => unitNameOf(unit) === "image");

/** The unit of this size and quality: where the vendor is to choose, whichever is dearest. null: it is not sold. */
function unitOf({ size, quality }: Kind, model: SoldAt): string | null {
  const priced = imagePrices(model);
  if (size !== "auto" && quality !== "auto") {
    const unit = `image:${size}:${quality}`;
    return nearestPrice(priced, unit) ? unit : null;
  }
  const choices = (named: string, place: number) =>
    named === "auto"
      ? new Set(["auto", ...priced.flatMap(({ unit }) => unit.split(":")[place] ?? [])])
      : [named];
  const qualities = [...choices(quality, 2)];
  const fitting = [...choices(size, 1)].flatMap((wide) =>
    qualities.flatMap((fine) => nearestPrice(priced, `image:${wide}:${fine}`) ?? []),
  );
  const dearest = fitting.reduce<UnitPrice | null>(
    (most, each) => (most && most.price >= each.price ? most : each),
    null,
  );
  return dearest?.unit ?? null;
}

const usual: Kind = { size: "auto", quality: "auto" };

/** As the answer says that they became, or as they were asked for. */
function madeKind({ size, quality }: JsonObject, asked: Kind): Kind {
  const said = { size: word(size), quality: word(quality) };
  return {
    size: said.size === "auto" ? asked.size : said.size,
    quality: said.quality === "auto" ? asked.quality : said.quality,
  };
}

/** Whether there is a picture in it, and not the reason why there is none (Ark), or the words that it would be of. */
export const isPicture = ({ error, revised_prompt: _words, ...picture }: JsonObject): boolean =>
  !error && Object.values(picture).some((value) => typeof value === "string" && value !== "");

/** Tokens of a picture of a million pixels, as OpenAI counts what its models draw. */
const tokensOf: Record<string, number> = { low: 272, medium: 1_056, high: 4_160 };
const PIXELS = 1_024 * 1_024;
/** The largest that is drawn where nobody names a size. */
const USUAL_PIXELS = 1_024 * 1_536;

/** Of a vendor that does not say how many. */
function estimateTokens({ size, quality }: Kind, { maxOutputTokens }: SoldAt): number {
  const [, width, height] = /^(\d{2,5})x(\d{2,5})$/.exec(size) ?? [];
  const pixels = width && height ? Number(width) * Number(height) : USUAL_PIXELS;
  const each = (Object.hasOwn(tokensOf, quality) && tokensOf[quality]) || 4_160;
  return Math.min(Math.ceil((each * pixels) / PIXELS), maxOutputTokens);
}

type Tokens = { input: number; output: number; pictures: number; source: UsageSource };

/** Of counts that are all that a charge needs, or some of them, or none. */
function sourceOf({ isWhole, isTold }: { isWhole: boolean; isTold: boolean }): UsageSource {
  if (isWhole) {
    return "upstream";
  }
  return isTold ? "partial" : "estimated";
}

/** Tokens of an answer, where its model is paid for by them: nobody counts what is paid for by the piece. */
function countAnswer(sent: unknown, estimate: Omit<Tokens, "source">, sold: SoldAt): Tokens {
  const usage = isJsonObject(sent) ? sent : {};
  const input = readCount(usage.input_tokens);
  const output = readCount(usage.output_tokens);
  const inputs = isJsonObject(usage.input_tokens_details) ? usage.input_tokens_details : {};
  const isRead = sold.prices.input > 0n || (estimate.pictures > 0 && haveOwnPrice(sold));
  const read = input ?? (isRead ? estimate.input : 0);
  const pictures = input === null ? estimate.pictures : (readCount(inputs.image_tokens) ?? 0);
  const made = output ?? (sold.prices.output > 0n ? estimate.output : 0);
  const isWhole = (input !== null || read === 0) && (output !== null || made === 0);
  return {
    input: read,
    output: made,
    pictures: Math.min(pictures, read),
    source: sourceOf({ isWhole, isTold: input !== null || output !== null }),
  };
}

/** What an answer comes to. `data`: what there is of pictures. */
export function countPictures(
  { data, ...answer }: JsonObject & { data: JsonObject[] },
  { asked }: KnownForwarded,
  sold: SoldAt,
): Counted {
  const made = data.filter(isPicture).length;
  const wanted = asked.pictures ?? usual;
  const kind = madeKind(answer, wanted);
  const unit = unitOf(kind, sold) ?? unitOf(wanted, sold);
  // Who has a price for the piece has none to guess at.
  const drawn = unit === null ? made * estimateTokens(kind, sold) : 0;
  const given = (asked.pictures?.given ?? 0) * USUAL_GIVEN_TOKENS;
  const estimate = { input: asked.tokens + given, output: drawn, pictures: given };
  const { input, output, pictures, source } = countAnswer(answer.usage, estimate, sold);
  const areApart = haveOwnPrice(sold);
  return {
    usage: usageOf(
      { input: areApart ? input - pictures : input, output },
      { ...(unit !== null && { [unit]: made }), image_input: areApart ? pictures : 0 },
    ),
    // The pieces are counted, whatever is not.
    source: unit !== null && source === "estimated" ? "partial" : source,
  };
}

/** POST /v1/images/generations. Images are paid for by the piece, by tokens, or both, as the model's prices say. */
export const images: ForwardedEndpoint = {
  read,
  most: ({ model, asked: { tokens, pictures } }, sold) => {
    const { count, given, sketches, ...kind } = pictures ?? { ...usual, count: 1, given: 0, sketches: 0 };
    const unit = unitOf(kind, sold);
    if (unit === null && imagePrices(sold).length > 0) {
      throw refuse(details.imageNotPriced(model, `${kind.size}, ${kind.quality}`));
    }
    const read = given * MOST_GIVEN_TOKENS;
    const areApart = haveOwnPrice(sold);
    return {
      inputTokens: tokens + (areApart || sold.prices.input === 0n ? 0 : read),
      // Of one that is paid for by the piece nobody counts tokens.
      maxOutputTokens: sold.prices.output > 0n ? sold.maxOutputTokens : 0,
      // A sketch is 100 tokens of OpenAI's: all of them are less than one more picture.
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

/** POST /v1/images/edits: generations that begin with pictures. */
export const imageEdits: ForwardedEndpoint = {
  ...images,
  read: (fields) => {
    const asked = read(fields);
    if (asked.pictures?.given === 0) {
      throw refuse(details.mustBeFile("image"));
    }
    return asked;
  },
};

/** Whatever a vendor calls its pictures: each that comes may be read, but for the mask, which says where to draw. */
const isGiven = ({ name, isFile }: Part) => /^image(?:\[\d*\])?$/.test(name) || (isFile && name !== "mask");

/** A number that a form has as text; what is none is for its reader to refuse. */
const numberIn = (text: string) => (/^\d{1,9}$/.test(text) ? Number(text) : text);

/** Edits as a form. `pathModel`: of its address, for one without a model. Throws the 400s of spec section 7. */
export function parseEdit(form: Form, pathModel: string | null): KnownForwarded {
  const { texts } = readFields(form);
  const counts = [...countNames, "partial_images"].flatMap((name) => {
    const text = texts[name];
    return text === undefined ? [] : [[name, numberIn(text)]];
  });
  const { stream, ...fields } = texts;
  const asked = imageEdits.read({
    ...fields,
    ...Object.fromEntries(counts),
    stream: readBoolean(stream) ?? stream,
    image: form.parts.filter(isGiven).map(({ name }) => name),
  });
  return { model: readModel({ model: texts.model || pathModel }), asked };
}
