import { and, asc, eq, or } from "drizzle-orm";
import { type Queryable, reportChange, tables } from "@/server/db";
import { newId } from "@/server/ids";
import type { Capabilities, Wire } from "@/server/protocol/capabilities";
import { Refusal } from "@/server/refusal";
import type { Dialect } from "@/server/upstream";
import { normaliseBaseUrl } from "./base-url";
import { type CapabilityOverrides, capabilitiesOf, wireOf } from "./capabilities";
import type { Vault } from "./vault";

const { channels, channelModels } = tables;

/** A channel as people see it: never its credentials. */
export type Channel = {
  id: string;
  name: string;
  dialect: Dialect;
  /** A preset's id. */
  vendor: string | null;
  baseUrl: string;
  credentialCount: number;
  priority: number;
  weight: number;
  /** Video tasks that may be open at a time. null: what its dialect usually takes. */
  maxTasks: number | null;
  isEnabled: boolean;
  /** Public name -> the upstream's name. */
  models: Record<string, string>;
  /** Public name -> what is in force for it here. */
  capabilities: Record<string, Capabilities>;
};

export type NewChannel = {
  name: string;
  dialect: Dialect;
  vendor?: string | undefined;
  baseUrl: string;
  secrets: string[];
  models: Record<string, string>;
  /** Public name -> what differs from the presets. */
  capabilities?: Record<string, CapabilityOverrides> | undefined;
  priority?: number | undefined;
  weight?: number | undefined;
  maxTasks?: number | undefined;
};

/** One way to a model: what dispatch needs of a channel. */
export type Route = {
  channelId: string;
  dialect: Dialect;
  wire: Wire;
  baseUrl: string;
  secrets: string[];
  priority: number;
  weight: number;
  maxTasks: number | null;
  upstreamName: string;
  capabilities: Capabilities;
};

const columns = {
  id: channels.id,
  name: channels.name,
  dialect: channels.dialect,
  vendor: channels.vendor,
  baseUrl: channels.baseUrl,
  credentials: channels.credentials,
  priority: channels.priority,
  weight: channels.weight,
  maxTasks: channels.maxTasks,
  isEnabled: channels.enabled,
};

/** Throws Refusal on a name that is taken. */
export async function addChannel(db: Queryable, channel: NewChannel, vault: Vault): Promise<Channel> {
  const id = newId("chn");
  const baseUrl =
    channel.dialect === "sandbox" ? channel.baseUrl : normaliseBaseUrl(channel.baseUrl, channel.dialect);
  await db.transaction(async (transaction) => {
    const inserted = await transaction
      .insert(channels)
      .values({
        id,
        name: channel.name,
        dialect: channel.dialect,
        vendor: channel.vendor ?? null,
        baseUrl,
        credentials: channel.secrets.map(vault.seal),
        priority: channel.priority ?? 0,
        weight: channel.weight ?? 1,
        maxTasks: channel.maxTasks ?? null,
      })
      .onConflictDoNothing()
      .returning({ id: channels.id });
    if (inserted.length === 0) {
      throw new Refusal(`a channel named "${channel.name}" exists already`);
    }
    const overrides = new Map(Object.entries(channel.capabilities ?? {}));
    const map = Object.entries(channel.models).map(([modelId, upstreamName]) => ({
      channelId: id,
      modelId,
      upstreamName,
      capabilities: overrides.get(modelId) ?? null,
    }));
    if (map.length > 0) {
      await transaction.insert(channelModels).values(map);
    }
    await reportChange(transaction, "channels");
  });
  return await getChannel(db, id);
}

export async function listChannels(db: Queryable): Promise<Channel[]> {
  const rows = await db.select(columns).from(channels).orderBy(asc(channels.id));
  const map = await db.select().from(channelModels).orderBy(asc(channelModels.modelId));
  return rows.map(({ credentials, ...row }) => {
    const served = map.filter((entry) => entry.channelId === row.id);
    return {
      ...row,
      credentialCount: credentials.length,
      models: Object.fromEntries(served.map((entry) => [entry.modelId, entry.upstreamName])),
      capabilities: Object.fromEntries(
        served.map(({ modelId, upstreamName, capabilities: overrides }) => [
          modelId,
          capabilitiesOf({ ...row, upstreamName, overrides }),
        ]),
      ),
    };
  });
}

/** By identifier or name. Throws Refusal. */
export async function getChannel(db: Queryable, nameOrId: string): Promise<Channel> {
  const found = (await listChannels(db)).find(
    (channel) => channel.id === nameOrId || channel.name === nameOrId,
  );
  if (!found) {
    throw new Refusal(`there is no channel "${nameOrId}"`);
  }
  return found;
}

const named = (nameOrId: string) => or(eq(channels.id, nameOrId), eq(channels.name, nameOrId));

/** In force in every process within a second. Twice changes nothing. */
export async function setChannelEnabled(
  db: Queryable,
  change: { channel: string; isEnabled: boolean },
): Promise<Channel> {
  await db.update(channels).set({ enabled: change.isEnabled }).where(named(change.channel));
  await reportChange(db, "channels");
  return await getChannel(db, change.channel);
}

export async function removeChannel(db: Queryable, nameOrId: string): Promise<Channel> {
  const channel = await getChannel(db, nameOrId);
  await db.delete(channels).where(eq(channels.id, channel.id));
  await reportChange(db, "channels");
  return channel;
}

/** The enabled ways to a model, credentials opened. */
export async function findRoutes(db: Queryable, modelId: string, vault: Vault): Promise<Route[]> {
  const rows = await db
    .select({
      ...columns,
      upstreamName: channelModels.upstreamName,
      overrides: channelModels.capabilities,
    })
    .from(channelModels)
    .innerJoin(channels, eq(channels.id, channelModels.channelId))
    .where(and(eq(channelModels.modelId, modelId), eq(channels.enabled, true)));
  return rows.map((row) => ({
    channelId: row.id,
    dialect: row.dialect,
    wire: wireOf(row.dialect),
    baseUrl: row.baseUrl,
    secrets: row.credentials.map(vault.open),
    priority: row.priority,
    weight: row.weight,
    maxTasks: row.maxTasks,
    upstreamName: row.upstreamName,
    capabilities: capabilitiesOf(row),
  }));
}
