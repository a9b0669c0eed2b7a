import { z } from "zod";
import { findVendor, getChannel } from "@/server/channels";
import { ChannelSettings, Credential } from "@/server/channels/settings/schema";
import { vendorApis } from "@/server/domain/enums";
import { Refusal } from "@/server/domain/refusal";
import { channelOperations, offers as offerRules } from "@/server/operations";
import { ChannelId } from "@/server/operations/schema";
import { query } from "./query";

const Names = z
  .array(channelOperations.ModelName)
  .min(1)
  .max(1_000)
  .optional()
  .describe("Upstream names, for a vendor without a list; default: the vendor is asked");

/** Asks a vendor for its models: at most 20 seconds. It changes nothing. */
export const ofVendor = query({
  needs: "channels.write",
  input: z.strictObject({
    vendor: ChannelSettings.shape.vendor.optional(),
    dialect: z.enum(vendorApis).optional().describe("Default: that of the vendor"),
    baseUrl: ChannelSettings.shape.baseUrl.optional().describe("Default: that of the vendor"),
    secret: Credential,
    names: Names,
  }),
  read: async ({ db, channels }, { vendor = null, names, secret, ...endpoint }) => {
    const preset = vendor === null ? null : findVendor(vendor);
    const dialect = endpoint.dialect ?? preset?.dialect;
    const baseUrl = endpoint.baseUrl ?? preset?.baseUrl;
    if (!dialect || !baseUrl) {
      throw new Refusal("name a vendor, or a dialect and a base URL", "vendorUnknown");
    }
    const source = { dialect, vendor, baseUrl };
    const { models, failure } = names
      ? { models: names.map(offerRules.byNameOnly), failure: null }
      : await channels.listDraftModels({ ...source, secret });
    const offering = { endpoint: source, listed: models, served: {} };
    const { gone: _, ...found } = await offerRules.offersOf(db, offering);
    return { failure, ...found };
  },
});

/** The same for a channel: what its vendor has, and which of its models the vendor has no longer. */
export const ofChannel = query({
  needs: "channels.write",
  input: z.strictObject({ channelId: ChannelId, names: Names }),
  read: async ({ db, channels }, { channelId, names }) => {
    const channel = await getChannel(db, channelId);
    const { models, failure } = names
      ? { models: names.map(offerRules.byNameOnly), failure: null }
      : await channels.listModels(channelId);
    const { gone, ...found } = await offerRules.offersOf(db, {
      endpoint: channel,
      listed: models,
      served: channel.models,
    });
    // Without the vendor's list nothing is known to be gone.
    return { failure, ...found, gone: failure || names ? [] : gone };
  },
});
