import { getChannelByNameOrId } from "@/server/channels";
import { parseOrRefuse } from "@/server/domain/refusal";
import { costOperations } from "@/server/operations";
import { costQueries } from "@/server/queries";
import { type Command, type CommandContext, type FlagValues, need, text } from "./command";
import { namedPrices } from "./money-flag";
import { changing, operate } from "./operate";
import { shownWhole } from "./render";
import { spanFlags, spanOf } from "./span-flags";
import { withRooms } from "./with-rooms";

/** Leaves out a price of `none`. */
const pricesOf = (values: FlagValues) =>
  namedPrices(values).flatMap(({ name, price }) => (price === null ? [] : [{ name, price }]));

const channelOf = async ({ db }: Pick<CommandContext, "db">, values: FlagValues) =>
  (await getChannelByNameOrId(db, need(values, "channel"))).id;

const set: Command = {
  summary:
    "Set all cost prices of a model at a channel: --price input=0.5 --price output=2; without --price: unknown cost",
  flags: {
    channel: { type: "string", required: true },
    model: { type: "string", required: true },
    price: { type: "string", multiple: true },
  },
  run: changing(async (context, values) => {
    const input = { modelId: need(values, "model"), prices: pricesOf(values) };
    const channelId = await channelOf(context, values);
    return shownWhole(await operate(context, costOperations.set, { ...input, channelId }));
  }),
};

const importList: Command = {
  summary:
    "Set the cost prices of a channel to its vendor's list prices times a factor; --rate: the exchange rate of the list's currency",
  flags: {
    channel: { type: "string", required: true },
    factor: { type: "string" },
    rate: { type: "string" },
  },
  run: changing(async (context, values) => {
    const terms = { factor: text(values, "factor"), rate: text(values, "rate") };
    const channelId = await channelOf(context, values);
    return shownWhole(await operate(context, costOperations.importList, { ...terms, channelId }));
  }),
};

const copy: Command = {
  summary:
    "Set the cost prices of a channel to those of another one (--from) times a factor, for models that both serve",
  flags: {
    channel: { type: "string", required: true },
    from: { type: "string", required: true },
    factor: { type: "string" },
  },
  run: changing(async (context, values) => {
    const channelId = await channelOf(context, values);
    const from = (await getChannelByNameOrId(context.db, need(values, "from"))).id;
    const input = { channelId, from, factor: text(values, "factor") };
    return shownWhole(await operate(context, costOperations.copy, input));
  }),
};

const list: Command = {
  summary: "List the cost prices of channels and which models are priced below cost",
  flags: { channel: { type: "string" } },
  run: (context, values) =>
    withRooms(context, async (rooms) => {
      const { config, secrets, database: db } = context;
      const channelId = values.channel === undefined ? undefined : await channelOf(context, values);
      const rows = await costQueries.list.read({ ...rooms, config, secrets, db }, { channelId }, "operator");
      return rows.map(shownWhole);
    }),
};

type Margin = Awaited<ReturnType<typeof costQueries.margin.read>>;

const line = (name: string, { calls, amount, cost, margin, before }: Margin["total"]) => ({
  name,
  calls,
  amount,
  cost,
  margin,
  margin_before: before.margin,
});

const margin: Command = {
  summary: "Show revenue, cost and margin by model, channel or account: this month, a --range, or days",
  flags: spanFlags,
  run: (context, values) =>
    withRooms(context, async (rooms) => {
      const { config, secrets, database: db } = context;
      const input = parseOrRefuse(costQueries.margin.input, spanOf(values));
      const { rows, total, unknown } = await costQueries.margin.read(
        { ...rooms, config, secrets, db },
        input,
        "operator",
      );
      return [
        ...rows.map(({ id, name, ...sums }) => ({ id, ...line(name, sums) })),
        { id: null, ...line("total", total) },
        { id: null, name: "unknown cost", calls: unknown.calls, amount: unknown.amount },
      ];
    }),
};

export const costCommands: Record<string, Command> = { copy, import: importList, list, margin, set };
