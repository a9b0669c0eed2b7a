import { inDecimals } from "@/server/base/money";
import { isUnpriced, listCatalog, type Model, unknownFacts } from "@/server/catalog";
import { type ModelKind, modelKinds, type Routing, routings } from "@/server/domain/enums";
import { Refusal } from "@/server/domain/refusal";
import { modelOperations } from "@/server/operations";
import { byField, type EachClass, eachPrice, fieldsOf, tokenClasses } from "@/server/pricing";
import {
  type Command,
  type CommandContext,
  type FlagValues,
  many,
  need,
  text,
  UsageError,
  wholeNumber,
  wholeNumberOrNone,
} from "./command";
import { factFlags, readFacts } from "./fact-flags";
import { amountOf, money } from "./money-flag";
import { changing, operate } from "./operate";
import { shown } from "./render";

const view = (model: Model) => ({
  id: model.id,
  kind: model.kind,
  owner: model.ownedBy,
  enabled: model.isEnabled,
  free: model.isFree,
  sold: model.isEnabled && !isUnpriced(model),
  routing: model.routing,
  hedge_after_ms: model.hedgeAfterMs,
  max_output: model.maxOutputTokens,
  context_window: model.contextWindow,
  input_modalities: model.inputModalities,
  output_modalities: model.outputModalities,
  tools: model.hasTools,
  thinking: model.hasThinking,
  prices: shown(inDecimals(byField(model.prices))),
  unit_prices: Object.fromEntries(
    inDecimals(fieldsOf(model.prices).unitPrices).map(({ unit, price }) => [unit, price]),
  ),
  conditional_prices: Object.fromEntries(
    inDecimals(fieldsOf(model.prices).conditionalPrices).map(({ name, price }) => [name, price]),
  ),
  video_prices: Object.fromEntries(
    inDecimals(fieldsOf(model.prices).videoPrices).map(({ durationSeconds, resolution, price }) => [
      `${durationSeconds}:${resolution}`,
      price,
    ]),
  ),
});

/** A model as calls are charged for it. Throws Refusal. */
async function show({ db }: CommandContext, id: string) {
  const model = (await listCatalog(db)).find((listed) => listed.id === id);
  if (!model) {
    throw new Refusal(`model "${id}" does not exist`, "modelUnknown");
  }
  return view(model);
}

function kindOf(value: string): ModelKind {
  const kind = modelKinds.find((name) => name === value);
  if (!kind) {
    throw new UsageError(`--kind must be one of ${modelKinds.join(", ")}`);
  }
  return kind;
}

function routingOf(values: FlagValues): Routing | undefined {
  const value = text(values, "routing");
  const routing = routings.find((name) => name === value);
  if (value !== undefined && routing === undefined) {
    throw new UsageError(`--routing must be one of ${routings.join(", ")}`);
  }
  return routing;
}

/** `SECONDS:RESOLUTION=PRICE`. */
function videoPrices(values: FlagValues) {
  const entries = many(values, "video-price");
  return entries.map((entry) => {
    const [, seconds, resolution, price] = /^(\d{1,4}):(\w+)=(.+)$/.exec(entry) ?? [];
    if (!seconds || !resolution || !price) {
      throw new UsageError(`--video-price ${entry}: write SECONDS:RESOLUTION=PRICE, such as 5:720p=0.5`);
    }
    return {
      durationSeconds: Number(seconds),
      resolution,
      price: amountOf(price, "--video-price"),
    };
  });
}

/** `UNIT=PRICE`. */
const unitPrices = (values: FlagValues) =>
  many(values, "unit-price").map((entry) => {
    const [, unit, price] = /^([^=]+)=(.+)$/.exec(entry) ?? [];
    if (!unit || !price) {
      throw new UsageError(`--unit-price ${entry}: write UNIT=PRICE, such as web_search=0.01`);
    }
    return { unit, price: amountOf(price, "--unit-price") };
  });

/** The flag of a class: its name with dashes. */
const flagOf = ({ name }: EachClass): string => name.replaceAll("_", "-");

const set: Command = {
  summary:
    "Add or change a model; prices are per million tokens, and a model without prices or --free is not for sale",
  flags: {
    id: { type: "string", required: true },
    kind: { type: "string", required: true },
    owner: { type: "string" },
    ...Object.fromEntries(tokenClasses.map((each) => [flagOf(each), { type: "string" as const }])),
    "video-price": { type: "string", multiple: true },
    "unit-price": { type: "string", multiple: true },
    "max-output": { type: "string" },
    ...factFlags,
    routing: { type: "string" },
    "hedge-after": { type: "string" },
    free: { type: "boolean" },
    disabled: { type: "boolean" },
  },
  run: changing(async (context, values) => {
    const priceFlag = (each: EachClass) => money(values, flagOf(each));
    const grid = videoPrices(values);
    const units = unitPrices(values);
    const input = {
      id: need(values, "id"),
      kind: kindOf(need(values, "kind")),
      ownedBy: text(values, "owner"),
      isEnabled: values.disabled !== true,
      ...(values.free === true && { isFree: true }),
      maxOutputTokens: wholeNumber(values, "max-output", { min: 1, max: 100_000_000 }),
      ...readFacts(values),
      routing: routingOf(values),
      hedgeAfterMs: wholeNumberOrNone(values, "hedge-after", { min: 100, max: 60_000 }),
      ...eachPrice(priceFlag, priceFlag),
      videoPrices: grid.length > 0 ? grid : undefined,
      unitPrices: units.length > 0 ? units : undefined,
    };
    await operate(context, modelOperations.create, input).catch(async (error: unknown) => {
      if (!(error instanceof Refusal && error.reason === "modelExists")) {
        throw error;
      }
      await operate(context, modelOperations.update, input);
    });
    return await show(context, input.id);
  }),
};

const fill: Command = {
  summary: "Fill in unknown capabilities of models from public model lists; known ones stay the same",
  flags: {},
  run: changing(async (context) => {
    const filled = [];
    for (const model of await listCatalog(context.db)) {
      const facts = unknownFacts(model);
      if (Object.keys(facts).length > 0) {
        await operate(context, modelOperations.update, { id: model.id, ...facts });
        filled.push(await show(context, model.id));
      }
    }
    return filled;
  }),
};

export const modelCommands: Record<string, Command> = {
  set,
  fill,
  show: {
    summary: "Show a model",
    flags: { id: { type: "string", required: true } },
    run: async (context, values) => await show(context, need(values, "id")),
  },
  list: {
    summary: "List models, including disabled ones",
    flags: {},
    run: async ({ db }) => (await listCatalog(db)).map(view),
  },
};
