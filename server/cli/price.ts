import { readFile } from "node:fs/promises";
import { priceFile } from "@/server/catalog";
import { parseOrRefuse } from "@/server/domain/refusal";
import { priceFileOperations, priceListOperations, priceOperations } from "@/server/operations";
import { priceEstimateQueries, priceFileQueries, priceGridQueries, priceQueries } from "@/server/queries";
import { type Command, type FlagValues, many, need, text, wholeNumber } from "./command";
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

function termsOf(values: FlagValues) {
  const models = many(values, "model");
  return {
    vendor: need(values, "vendor") as never,
    factor: text(values, "factor"),
    rate: text(values, "rate"),
    decimals: wholeNumber(values, "decimals", { min: 0, max: 9 }),
    models: models.length > 0 ? models : undefined,
  };
}

const list: Command = {
  summary: "List every price with its list price and cost, now or --at a time",
  flags: { at: { type: "string" } },
  run: (context, values) =>
    withRooms(context, async (rooms) => {
      const { config, secrets, database: db } = context;
      const input = parseOrRefuse(priceGridQueries.list.input, { at: text(values, "at") });
      const rows = await priceGridQueries.list.read({ ...rooms, config, secrets, db }, input, "operator");
      return rows.map(({ list: listed, cost, ...row }) =>
        shownWhole({
          ...row,
          list_price: listed && `${listed.price} ${listed.currency}`,
          list_date: listed?.date ?? null,
          cost: cost?.price ?? null,
          cost_channel: cost?.channel ?? null,
        }),
      );
    }),
};

const exportFile: Command = {
  summary: "Export all current and scheduled prices as CSV",
  flags: {},
  run: ({ database, config }) =>
    priceFileQueries
      .linesToExport({ db: database })
      .then((lines) => priceFile(lines, config.CURRENCY).trimEnd()),
};

const importFile: Command = {
  summary:
    "Import prices from a CSV in the format of price export, all or none; --dry-run: only show the changes",
  flags: { file: { type: "string", required: true }, "dry-run": { type: "boolean" } },
  run: changing(async (context, values) => {
    const { config, db } = context;
    const input = parseOrRefuse(priceFileOperations.File, {
      csv: await readFile(need(values, "file"), "utf8"),
    });
    if (values["dry-run"] === true) {
      const plan = await priceFileOperations.plan(db, { ...input, currency: config.CURRENCY });
      return shownWhole(priceFileOperations.toldPlan(plan));
    }
    return shownWhole(await operate(context, priceFileOperations.importFile, input));
  }),
};

const set: Command = {
  summary:
    "Set prices of a model, now or --from a time: --price input=3 --price cache_read=none (same as input)",
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

const estimate: Command = {
  summary: "Estimate last month's charges for a model at other prices: --price input=3",
  flags: {
    model: { type: "string", required: true },
    price: { type: "string", multiple: true, required: true },
  },
  run: (context, values) =>
    withRooms(context, async (rooms) => {
      const { config, secrets, database: db } = context;
      const modelId = need(values, "model");
      const cells = namedPrices(values).map((cell) => ({ modelId, ...cell }));
      const input = parseOrRefuse(priceEstimateQueries.lastMonth.input, { cells });
      const reading = { ...rooms, config, secrets, db };
      return shownWhole(await priceEstimateQueries.lastMonth.read(reading, input, "operator"));
    }),
};

const withdraw: Command = {
  summary: "Withdraw a scheduled price",
  flags: { model: { type: "string", required: true }, from: { type: "string", required: true } },
  run: changing(async (context, values) => {
    const modelId = need(values, "model");
    const beginsAt = need(values, "from");
    await operate(context, priceOperations.withdraw, { modelId, beginsAt });
    return { model_id: modelId, begins_at: beginsAt, withdrawn: true };
  }),
};

const history: Command = {
  summary: "List past, current and scheduled prices of a model, with their start and author",
  flags: { model: { type: "string", required: true } },
  run: (context, values) =>
    withRooms(context, async (rooms) => {
      const { config, secrets, database: db } = context;
      const input = { modelId: need(values, "model") };
      const rows = await priceQueries.history.read({ ...rooms, config, secrets, db }, input, "operator");
      return rows.map(shownWhole);
    }),
};

const scheduled: Command = {
  summary: "List the scheduled prices of all models",
  flags: {},
  run: (context) =>
    withRooms(context, async (rooms) => {
      const { config, secrets, database: db } = context;
      const rows = await priceQueries.scheduled.read({ ...rooms, config, secrets, db }, {}, "operator");
      return rows.map(shownWhole);
    }),
};

export const priceCommands: Record<string, Command> = {
  list,
  set,
  withdraw,
  export: exportFile,
  "import-csv": importFile,
  estimate,
  history,
  scheduled,
  import: {
    summary:
      "Set prices to a vendor's list prices times a factor, rounded up; --rate: the exchange rate of the list's currency",
    flags: listFlags,
    run: changing(async (context, values) =>
      shownWhole(await operate(context, priceListOperations.importList, termsOf(values))),
    ),
  },
  preview: {
    summary: "Show the changes of price import without applying them",
    flags: listFlags,
    run: async ({ db, config }, values) => {
      const terms = parseOrRefuse(priceListOperations.PriceImportRequest, termsOf(values));
      return shownWhole(
        priceListOperations.planView(await priceListOperations.plan(db, config.CURRENCY, terms)),
      );
    },
  },
};
