import { and, eq, type SQL, sql } from "drizzle-orm";
import type { Vault } from "@/server/base/vault";
import { type Db, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import type { VendorApi } from "@/server/domain/enums";
import type { ChannelId } from "@/server/domain/ids";
import type { Capabilities, Dialect } from "@/server/protocol/capabilities";
import { capabilitiesOf, dialectOf, isKnownApi } from "../settings/capabilities";
import { seedOf } from "./affinity";

const { channels, channelModels } = tables;

/** One route to a model: the fields of a channel that dispatch needs. */
export type Route = {
  channelId: ChannelId;
  name: string;
  /** Changes with every change of the channel's row. */
  version: string;
  api: VendorApi;
  /** The dialect of its conversations. */
  dialect: Dialect;
  baseUrl: string;
  secrets: string[];
  /** The last characters of each credential, as users see them. */
  hints: string[];
  /** Hash seeds of the channel and of each of its credentials, for choices by hash. */
  seeds: { channel: number; credentials: number[] };
  isMovedOff: boolean;
  priority: number;
  weight: number;
  maxTasks: number | null;
  /** null: the installation's timeout. */
  timeoutMs: number | null;
  idleTimeoutMs: number | null;
  upstreamName: string;
  capabilities: Capabilities;
};

/** The transaction that last wrote the row. PostgreSQL counts versions itself, so the table needs no counter. */
const version = sql`${channels}.xmin`.mapWith(String);

const columns = {
  channelId: channels.id,
  version,
  name: channels.name,
  dialect: channels.dialect,
  vendor: channels.vendor,
  baseUrl: channels.baseUrl,
  credentials: channels.credentials,
  hints: channels.credentialHints,
  isMovedOff: channels.isMovedOff,
  priority: channels.priority,
  weight: channels.weight,
  maxTasks: channels.maxTasks,
  timeoutSeconds: channels.timeoutSeconds,
  idleTimeoutSeconds: channels.idleTimeoutSeconds,
  isEnabled: channels.enabled,
  upstreamName: channelModels.upstreamName,
  overrides: channelModels.capabilities,
};

/** Selects channels joined with each model that they serve; credentials stay sealed. */
const selectWays = (db: Db, where: SQL | undefined) =>
  ormOf(db)
    .select({ ...columns, modelId: channelModels.modelId })
    .from(channelModels)
    .innerJoin(channels, eq(channels.id, channelModels.channelId))
    .where(where)
    .orderBy(channels.id);

type WayRow = Awaited<ReturnType<typeof selectWays>>[number];

/** A channel with a model that it serves; its credentials are sealed. */
export type Way = WayRow;

function toRoute(row: WayRow, vault: Vault): Route {
  const secrets = row.credentials.map(vault.open);
  return {
    channelId: row.channelId,
    name: row.name,
    version: row.version,
    api: row.dialect,
    dialect: dialectOf(row.dialect),
    baseUrl: row.baseUrl,
    secrets,
    hints: row.hints,
    // A credential keeps its seed when others are added or removed.
    seeds: { channel: seedOf(row.channelId), credentials: secrets.map(seedOf) },
    isMovedOff: row.isMovedOff,
    priority: row.priority,
    weight: row.weight,
    maxTasks: row.maxTasks,
    timeoutMs: row.timeoutSeconds && row.timeoutSeconds * 1000,
    idleTimeoutMs: row.idleTimeoutSeconds && row.idleTimeoutSeconds * 1000,
    upstreamName: row.upstreamName,
    capabilities: capabilitiesOf(row),
  };
}

/** The enabled routes to a model, with opened credentials. Routes whose API only a later release knows are left out. */
export async function findRoutes(db: Db, modelId: string, vault: Vault): Promise<Route[]> {
  const rows = await selectWays(db, and(eq(channelModels.modelId, modelId), eq(channels.enabled, true)));
  return routesAmong(rows, modelId, vault);
}

/** The enabled channels with each of their models. */
export const listEnabledWays = (db: Db): Promise<Way[]> => selectWays(db, eq(channels.enabled, true));

/** As `findRoutes`, among ways that were read before. */
export const routesAmong = (ways: readonly Way[], modelId: string, vault: Vault): Route[] =>
  ways.filter((way) => way.modelId === modelId && isKnownApi(way.dialect)).map((way) => toRoute(way, vault));

/** As `findServedModels`. */
export const servedAmong = (ways: readonly Way[]): ReadonlySet<string> =>
  new Set(ways.map(({ modelId }) => modelId));

/** The models that an enabled channel serves. */
export async function findServedModels(db: Db): Promise<ReadonlySet<string>> {
  const rows = await ormOf(db)
    .selectDistinct({ modelId: channelModels.modelId })
    .from(channelModels)
    .innerJoin(channels, eq(channels.id, channelModels.channelId))
    .where(eq(channels.enabled, true));
  return new Set(rows.map(({ modelId }) => modelId));
}

/** The route from one channel to a model, even if the channel is disabled. null: it does not serve the model. */
export async function findRoute(
  db: Db,
  at: { channelId: ChannelId; modelId: string },
  vault: Vault,
): Promise<Route | null> {
  const where = and(eq(channelModels.modelId, at.modelId), eq(channels.id, at.channelId));
  const [row] = await selectWays(db, where);
  return row && isKnownApi(row.dialect) ? toRoute(row, vault) : null;
}

/** Every route to a model, including disabled ones, without credentials. */
export async function findWays(db: Db, modelId: string): Promise<Omit<WayRow, "credentials" | "modelId">[]> {
  const rows = await selectWays(db, eq(channelModels.modelId, modelId));
  return rows.map(({ credentials: _, modelId: __, ...way }) => way);
}

/** The version of each channel's row. */
export const findVersions = (
  db: Db,
): Promise<{ channelId: ChannelId; name: string; version: string; isEnabled: boolean }[]> =>
  ormOf(db)
    .select({ channelId: channels.id, name: channels.name, version, isEnabled: channels.enabled })
    .from(channels)
    .orderBy(channels.id);
