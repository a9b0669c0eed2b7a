/** Commands for a vendor's models: what it has, and putting them on sale. */
import { getChannelByNameOrId } from "@/server/channels";
import { parseOrRefuse, Refusal } from "@/server/domain/refusal";
import { channelSaleOperations } from "@/server/operations";
import { offerQueries } from "@/server/queries";
import { endpoint } from "./channel-flags";
import { type Command, type CommandContext, type FlagValues, many, need, text } from "./command";
import { changing, operate } from "./operate";
import { shownWhole } from "./render";
import { withRooms } from "./with-rooms";

const sourceFlags = {
  channel: { type: "string" },
  vendor: { type: "string" },
  dialect: { type: "string" },
  "base-url": { type: "string" },
  secret: { type: "string" },
  model: { type: "string", multiple: true },
} as const;

/** Asks the vendor of a channel, or of the flags. `names`: in place of the vendor's list. */
const ask = (context: CommandContext, values: FlagValues, names?: string[]) =>
  withRooms(context, async (rooms) => {
    const { config, secrets, database: db } = context;
    const reading = { ...rooms, config, secrets, db };
    if (values.channel !== undefined) {
      const { id: channelId } = await getChannelByNameOrId(db, need(values, "channel"));
      return await offerQueries.ofChannel.read(reading, { channelId, names }, "operator");
    }
    const source = { ...endpoint(values), secret: need(values, "secret"), names };
    return await offerQueries.ofVendor.read(
      reading,
      parseOrRefuse(offerQueries.ofVendor.input, source),
      "operator",
    );
  });

/** Asks the vendor; if that fails, the names in the flags are its list. */
async function offersFor(context: CommandContext, values: FlagValues) {
  const names = many(values, "model");
  const found = await ask(context, values);
  return found.failure && names.length > 0 ? await ask(context, values, names) : found;
}

/** The models to sell: the named ones, or all that are new, have a list price, and are no dated name of another. */
async function chosen(context: CommandContext, values: FlagValues) {
  const { offers, failure } = await offersFor(context, values);
  if (failure) {
    throw new Refusal(
      `the vendor's models could not be listed: name them by --model (${failure.status ?? failure.reason} ${failure.message})`,
      null,
    );
  }
  const names = many(values, "model");
  const isMeant = (offer: (typeof offers)[number]) =>
    names.length > 0
      ? names.includes(offer.upstreamName)
      : offer.listPrices.length > 0 && offer.stand !== "otherKind" && !offer.isServed && !offer.isSnapshot;
  return offers
    .filter(isMeant)
    .map(({ upstreamName, modelId, kind, contextWindow, maxOutputTokens, listPrices }) => ({
      ...{ upstreamName, modelId, kind, contextWindow },
      ...(maxOutputTokens !== null && { maxOutputTokens }),
      ...(listPrices.length > 0 && { listPrices }),
    }));
}

export const offersCommand: Command = {
  summary:
    "List a vendor's models with list prices and limits: by --channel, or by --vendor and --secret; " +
    "--model names them for a vendor without a list",
  flags: sourceFlags,
  run: async (context, values) => shownWhole(await offersFor(context, values)),
};

export const sellCommand: Command = {
  summary:
    "Put a vendor's models on sale, all or those named by --model: at --channel, or at a new channel by --vendor and " +
    "--secret; --factor times the list price is your price (default 1.2), --cost-factor what you pay (default 1)",
  flags: {
    ...sourceFlags,
    name: { type: "string" },
    factor: { type: "string" },
    "cost-factor": { type: "string" },
    rate: { type: "string" },
  },
  run: async (context, values) => {
    // Asked before the transaction: no lock waits for a vendor.
    const models = await chosen(context, values);
    const terms = {
      models,
      priceFactor: text(values, "factor"),
      costFactor: text(values, "cost-factor"),
      rate: text(values, "rate"),
    };
    const sell: Command["run"] = async (within) => {
      if (values.channel !== undefined) {
        const { id: channelId } = await getChannelByNameOrId(within.db, need(values, "channel"));
        return shownWhole(await operate(within, channelSaleOperations.add, { ...terms, channelId }));
      }
      const { vendor, ...at } = endpoint(values);
      const settings = { ...at, vendor: vendor ?? null, name: text(values, "name") };
      const secrets = [need(values, "secret")];
      return shownWhole(
        await operate(within, channelSaleOperations.open, { ...settings, ...terms, secrets }),
      );
    };
    return await changing(sell)(context, values);
  },
};
