import { details } from "@/server/base/details";
import { GatewayError } from "@/server/base/errors";
import { nearestPrice, type UnitPrice, unitNameOf } from "@/server/base/units";
import { countTokens } from "../estimate";
import { isJsonObject, type JsonObject, textOf } from "../fields";
import { readCount } from "../usage";
import { type ForwardedEndpoint, refuse, type SoldAt, usageOf } from "./forwarded";

/** OpenAI's limit. */
const MOST_IMAGES = 10;

const countOf = ({ n }: JsonObject): number => (typeof n === "number" ? n : 1);

function check(fields: JsonObject): void {
  if (typeof fields.prompt !== "string" || fields.prompt === "") {
    throw refuse(details.mustBeNonEmptyText("prompt"));
  }
  const { n } = fields;
  const isCount =
    n === undefined || n === null || (Number.isInteger(n) && Number(n) >= 1 && Number(n) <= MOST_IMAGES);
  if (!isCount) {
    throw refuse(details.mustBeInteger("n", { min: 1, max: MOST_IMAGES }));
  }
  if (fields.stream === true) {
    throw refuse(details.notSupported("stream"));
  }
}

const word = (value: unknown) => {
  const text = textOf(value).toLowerCase();
  return /^[a-z0-9_-]{1,20}$/.test(text) ? text : "auto";
};

const imagePrices = ({ unitPrices }: SoldAt) => unitPrices.filter(({ unit }) => unitNameOf(unit) === "image");

/** Of what size and quality: where the upstream is to choose, whichever is dearest. null: it is not sold. */
function unitOf({ size, quality }: JsonObject, model: SoldAt): string | null {
  const [wide, fine] = [word(size), word(quality)];
  const fits = ({ unit }: UnitPrice) => {
    const [, pricedSize = "auto", pricedQuality = "auto"] = unit.split(":");
    return [
      [pricedSize, wide],
      [pricedQuality, fine],
    ].every(([priced, asked]) => priced === "auto" || asked === "auto" || priced === asked);
  };
  if (wide !== "auto" && fine !== "auto") {
    const unit = `image:${wide}:${fine}`;
    return nearestPrice(model.unitPrices, unit) ? unit : null;
  }
  const dearest = imagePrices(model)
    .filter(fits)
    .reduce<UnitPrice | null>((most, each) => (most && most.price >= each.price ? most : each), null);
  return dearest?.unit ?? null;
}

/** As the answer says that they became, or as they were asked for. */
function madeUnit(answer: JsonObject, asked: JsonObject, model: SoldAt): string | null {
  const made = { size: answer.size ?? asked.size, quality: answer.quality ?? asked.quality };
  return unitOf(made, model) ?? unitOf(asked, model);
}

const sourceOf = (unit: string | null) => (unit === null ? "estimated" : "partial");

/** POST /v1/images/generations. Images are paid for by the piece, by tokens, or both, as the model's prices say. */
export const images: ForwardedEndpoint = {
  check,
  most: ({ fields, model }, sold) => {
    const unit = unitOf(fields, sold);
    if (unit === null && imagePrices(sold).length > 0) {
      const asked = [word(fields.size), word(fields.quality)].join(", ");
      throw new GatewayError("invalidParameters", details.imageNotPriced(model, asked));
    }
    return {
      inputTokens: Math.ceil(countTokens(textOf(fields.prompt))),
      // Of one that is paid by the piece nobody counts tokens.
      maxOutputTokens: sold.prices.output > 0n ? countOf(fields) * sold.maxOutputTokens : 0,
      units: unit === null ? {} : { [unit]: countOf(fields) },
    };
  },
  readAnswer: (answer, { fields }, sold) => {
    const { data } = answer;
    if (!Array.isArray(data) || !data.every(isJsonObject)) {
      return null;
    }
    const unit = madeUnit(answer, fields, sold);
    const usage = isJsonObject(answer.usage) ? answer.usage : {};
    const input = readCount(usage.input_tokens);
    const output = readCount(usage.output_tokens);
    const inputs = isJsonObject(usage.input_tokens_details) ? usage.input_tokens_details : {};
    const pictures = Math.min(readCount(inputs.image_tokens) ?? 0, input ?? 0);
    const arePriced = nearestPrice(sold.unitPrices, "image_input") !== null;
    // Nobody counts what is paid by the piece.
    const isEstimated = input === null && sold.prices.input > 0n;
    const text = input ?? (isEstimated ? Math.ceil(countTokens(textOf(fields.prompt))) : 0);
    return {
      usage: usageOf(
        { input: arePriced ? text - pictures : text, output: output ?? 0 },
        { ...(unit !== null && { [unit]: data.length }), image_input: arePriced ? pictures : 0 },
      ),
      // Of what is paid by the piece, the pieces are the count.
      source: isEstimated ? sourceOf(unit) : "upstream",
      body: JSON.stringify(answer),
    };
  },
};
