import { parseOrRefuse } from "@/server/base/refusal";
import { priceListOperations, priceOperations } from "@/server/operations";
import { priceQueries } from "@/server/queries";
import { type Command, many, need, text, type Values, wholeNumber } from "./command";
import { namedPrices } from "./money-flag";
import { changing, operate } from "./operate";
import { shownWhole } from "./render";
import { withRooms } from "./with-rooms";

const listFlags: Command["flags"] = {
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

const set: Command = {
  summary:
    "Set prices of a model, at once or --from a moment on: --price input=3 --price cache_read=none (as input)",
  flags: {
    model: { type: "string", required: true },
    price: { type: "string", multiple: true, required: true },
    from: { type: "string" },
  },
  run: changing(async (context, values) => {
    const modelId = need(values, "model");
    const cells = namedPrices(values).map((cell) => ({ modelId, ...cell }));
    return shownWhole(await operate(context, priceOperations.set, { cells, beginsAt: text(values, "from") }));
  }),
};

const withdraw: Command = {
  summary: "Take back a price that has not begun",
  flags: { model: { type: "string", required: true }, from: { type: "string", required: true } },
  run: changing(async (context, values) => {
    const modelId = need(values, "model");
    const beginsAt = need(values, "from");
    await operate(context, priceOperations.withdraw, { modelId, beginsAt });
    return { model_id: modelId, begins_at: beginsAt, withdrawn: true };
  }),
};

const history: Command = {
  summary: "Show the prices that a model has had, has and is to have, from when and by whom",
  flags: { model: { type: "string", required: true } },
  run: (context, values) =>
    withRooms(context, async (rooms) => {
      const { config, secrets, database: db } = context;
      const asked = { modelId: need(values, "model") };
      const rows = await priceQueries.history.read({ ...rooms, config, secrets, db }, asked, "operator");
      return rows.map(shownWhole);
    }),
};

const scheduled: Command = {
  summary: "List the prices that are to begin, of all models",
  flags: {},
  run: (context) =>
    withRooms(context, async (rooms) => {
      const { config, secrets, database: db } = context;
      const rows = await priceQueries.scheduled.read({ ...rooms, config, secrets, db }, {}, "operator");
      return rows.map(shownWhole);
    }),
};

export const priceCommands: Record<string, Command> = {
  set,
  withdraw,
  history,
  scheduled,
  import: {
    summary:
      "Set prices by a vendor's public list, times a factor, rounded up; --rate where its currency is another",
    flags: listFlags,
    run: changing(async (context, values) =>
      shownWhole(await operate(context, priceListOperations.importList, termsOf(values))),
    ),
  },
  preview: {
    summary: "Show what price import would change",
    flags: listFlags,
    run: async ({ db, config }, values) => {
      const terms = parseOrRefuse(priceListOperations.Terms, termsOf(values));
      return shownWhole(priceListOperations.told(await priceListOperations.plan(db, config.CURRENCY, terms)));
    },
  },
};
