import { parseOrRefuse } from "@/server/base/refusal";
import { priceListOperations } from "@/server/operations";
import { type Command, many, need, text, type Values, wholeNumber } from "./command";
import { changing, operate } from "./operate";
import { shownWhole } from "./render";

const flags: Command["flags"] = {
  vendor: { type: "string", required: true },
  factor: { type: "string" },
  rate: { type: "string" },
  decimals: { type: "string" },
  model: { type: "string", multiple: true },
};

function termsOf(values: Values) {
  const models = many(values, "model");
  return {
    vendor: need(values, "vendor") as never,
    factor: text(values, "factor"),
    rate: text(values, "rate"),
    decimals: wholeNumber(values, "decimals", { min: 0, max: 9 }),
    models: models.length > 0 ? models : undefined,
  };
}

export const priceCommands: Record<string, Command> = {
  import: {
    summary:
      "Set prices by a vendor's public list, times a factor, rounded up; --rate where its currency is another",
    flags,
    run: changing(async (context, values) =>
      shownWhole(await operate(context, priceListOperations.importList, termsOf(values))),
    ),
  },
  preview: {
    summary: "Show what price import would change",
    flags,
    run: async ({ db, config }, values) => {
      const terms = parseOrRefuse(priceListOperations.Terms, termsOf(values));
      return shownWhole(priceListOperations.told(await priceListOperations.plan(db, config.CURRENCY, terms)));
    },
  },
};
