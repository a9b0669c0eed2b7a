import { asc, eq, or, type SQL } from "drizzle-orm";
import { type Db, type RowOf, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import type { ChannelId } from "@/server/domain/ids";
import { Refusal } from "@/server/domain/refusal";
import type { Capabilities } from "@/server/protocol/capabilities";
import { type CapabilityOverrides, capabilitiesOf } from "./capabilities";

const { channels, channelModels } = tables;

export const columns = {
  id: channels.id,
  name: channels.name,
  dialect: channels.dialect,
  vendor: channels.vendor,
  baseUrl: channels.baseUrl,
  credentials: channels.credentials,
  /** In order; "" for a credential that is too short to show any of it. */
  credentialHints: channels.credentialHints,
  priority: channels.priority,
  weight: channels.weight,
  maxTasks: channels.maxTasks,
  timeoutSeconds: channels.timeoutSeconds,
  idleTimeoutSeconds: channels.idleTimeoutSeconds,
  isEnabled: channels.enabled,
  /** Its calls go to the other channels as long as one of them takes them. */
  isMovedOff: channels.isMovedOff,
  createdAt: channels.createdAt,
};

/** A channel as users see it, without its credentials. */
export type Channel = Omit<RowOf<typeof columns>, "credentials"> & {
  credentialCount: number;
  /** Public name -> the upstream's name. */
  models: Record<string, string>;
  /** Public name -> its effective capabilities here. */
  capabilities: Record<string, Capabilities>;
  /** Public name -> the operator's settings, which override the presets. */
  overrides: Record<string, CapabilityOverrides>;
};

type ChannelModelRow = typeof channelModels.$inferSelect;

/** An object by public name, built from pairs because a model may be called `__proto__`. */
const byModel = <V>(served: ChannelModelRow[], value: (entry: ChannelModelRow) => V): Record<string, V> =>
  Object.fromEntries(served.map((entry) => [entry.modelId, value(entry)]));

/** The channels that match this condition, ordered by identifier. */
async function selectChannels(db: Db, condition?: SQL): Promise<Channel[]> {
  const rows = await ormOf(db).select(columns).from(channels).where(condition).orderBy(asc(channels.id));
  const map = await ormOf(db)
    .select({
      channelId: channelModels.channelId,
      modelId: channelModels.modelId,
      upstreamName: channelModels.upstreamName,
      capabilities: channelModels.capabilities,
    })
    .from(channelModels)
    .innerJoin(channels, eq(channels.id, channelModels.channelId))
    .where(condition)
    .orderBy(asc(channelModels.modelId));
  const servedBy = new Map<string, ChannelModelRow[]>(rows.map(({ id }) => [id, []]));
  for (const entry of map) {
    servedBy.get(entry.channelId)?.push(entry);
  }
  return rows.map(({ credentials, credentialHints: hints, ...row }) => {
    const served = servedBy.get(row.id) ?? [];
    return {
      ...row,
      credentialCount: credentials.length,
      // Credentials stored before hints existed have none.
      credentialHints: credentials.map((_, index) => hints[index] ?? ""),
      models: byModel(served, ({ upstreamName }) => upstreamName),
      capabilities: byModel(served, ({ upstreamName, capabilities: overrides }) =>
        capabilitiesOf({ ...row, upstreamName, overrides }),
      ),
      overrides: byModel(
        served.filter((entry) => entry.capabilities !== null),
        (entry) => entry.capabilities ?? {},
      ),
    };
  });
}

export const listChannels = (db: Db): Promise<Channel[]> => selectChannels(db);

export const channelUnknown = (nameOrId: string) =>
  new Refusal(`channel "${nameOrId}" does not exist`, "channelUnknown");

/** Throws Refusal. */
export async function getChannel(db: Db, channelId: ChannelId): Promise<Channel> {
  const [channel] = await selectChannels(db, eq(channels.id, channelId));
  if (!channel) {
    throw channelUnknown(channelId);
  }
  return channel;
}

/** Finds a channel by identifier, or else by the name that a user typed. Throws Refusal. */
export async function getChannelByNameOrId(db: Db, nameOrId: string): Promise<Channel> {
  const isNamed = or(eq(channels.id, nameOrId as ChannelId), eq(channels.name, nameOrId));
  const named = await selectChannels(db, isNamed);
  const channel = named.find(({ id }) => id === nameOrId) ?? named[0];
  if (!channel) {
    throw channelUnknown(nameOrId);
  }
  return channel;
}

/** The public names that enabled channels serve, including names that the catalog lacks. */
export async function findServedModels(db: Db): Promise<Set<string>> {
  const rows = await ormOf(db)
    .selectDistinct({ modelId: channelModels.modelId })
    .from(channelModels)
    .innerJoin(channels, eq(channels.id, channelModels.channelId))
    .where(eq(channels.enabled, true))
    .orderBy(asc(channelModels.modelId));
  return new Set(rows.map(({ modelId }) => modelId));
}
