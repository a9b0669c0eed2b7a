import { and, eq, ne } from "drizzle-orm";
import type { Vault } from "@/server/base/vault";
import { type Db, orRefuse, reportChange, rowOrRefuse, tables, transaction } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { type ChannelId, newId } from "@/server/domain/ids";
import { Refusal } from "@/server/domain/refusal";
import type { CapabilityOverrides } from "./capabilities";
import { changeCredentials, type Sealed, sealCredentials } from "./credentials";
import {
  checkDraft,
  checkModels,
  checkSettings,
  type NewChannel,
  type ServedModel,
  type SettingsInput,
} from "./draft";
import type { CredentialChange } from "./schema";
import { type Channel, channelUnknown, columns, getChannel } from "./view";

const { channels, channelModels } = tables;

/**
 * Names are how operators refer to channels, so they are unique. If two operators take a name at the same moment, the
 * table refuses the later one.
 */
const nameTaken = (name: string) =>
  new Refusal(`a channel named "${name}" already exists`, "channelNameTaken", { name });

async function refuseTakenName(db: Db, { name, channelId }: { name: string; channelId: ChannelId }) {
  const [namesake] = await ormOf(db)
    .select({ id: channels.id })
    .from(channels)
    .where(and(eq(channels.name, name), ne(channels.id, channelId)));
  if (namesake) {
    throw nameTaken(name);
  }
}

/** Replaces the models that a channel serves. */
async function storeModels(db: Db, channelId: ChannelId, models: ServedModel[]): Promise<void> {
  await ormOf(db).delete(channelModels).where(eq(channelModels.channelId, channelId));
  if (models.length > 0) {
    await ormOf(db)
      .insert(channelModels)
      .values(models.map((model) => ({ ...model, channelId })));
  }
}

/** Throws Refusal if the name is taken or a setting is invalid. */
export async function addChannel(db: Db, channel: NewChannel, vault: Vault): Promise<Channel> {
  const id = newId("chn");
  const { dialect, settings, models } = checkDraft(channel);
  const sealed = sealCredentials(channel.secrets, { dialect, vault });
  await transaction(db, async (tx) => {
    await refuseTakenName(tx, { name: settings.name, channelId: id });
    const added = ormOf(tx)
      .insert(channels)
      .values({ id, dialect, ...settings, ...sealed });
    await orRefuse(added, "duplicate", () => nameTaken(settings.name));
    await storeModels(tx, id, models);
    await reportChange(tx, "channels");
  });
  return await getChannel(db, id);
}

/** Fields that are left out stay unchanged. */
export type ChannelChange = SettingsInput & {
  channelId: ChannelId;
  /** All credentials, in order. Credentials that stay are named by their place, because users cannot read them. */
  secrets?: CredentialChange[] | undefined;
  /** Public name -> the upstream's name. Replaces the whole map. */
  models?: Record<string, string> | undefined;
  /** Public name -> differences from the presets. Replaces the whole map. */
  capabilities?: Record<string, CapabilityOverrides> | undefined;
};

/** Locks the row until the transaction ends, because credentials that stay are written again. */
const lockRow = (db: Db, channelId: ChannelId) =>
  rowOrRefuse(ormOf(db).select(columns).from(channels).where(eq(channels.id, channelId)).for("update"), () =>
    channelUnknown(channelId),
  );

/**
 * Returns the channel and locks its row until the transaction ends, so that the change applies to exactly what was
 * read. Throws Refusal.
 */
export async function lockChannel(db: Db, channelId: ChannelId): Promise<Channel> {
  await lockRow(db, channelId);
  return await getChannel(db, channelId);
}

const originOf = (baseUrl: string) => (URL.canParse(baseUrl) ? new URL(baseUrl).origin : baseUrl);

function sealedAfter(
  row: Sealed & Pick<Channel, "baseUrl" | "dialect">,
  { secrets, baseUrl }: { secrets: ChannelChange["secrets"]; baseUrl: string },
  vault: Vault,
): Sealed {
  const keepsOne = secrets === undefined || secrets.some((change) => "keep" in change);
  // Otherwise a user who may edit a channel could read its credentials by sending them to a server of their own.
  if (keepsOne && originOf(baseUrl) !== originOf(row.baseUrl)) {
    throw new Refusal(
      "stored credentials are sent only to the host they were entered for: enter them again for the new host",
      "credentialForAnotherHost",
    );
  }
  return secrets === undefined ? row : changeCredentials(row, secrets, { dialect: row.dialect, vault });
}

/**
 * Changes the named fields of a channel. Every process applies the change within a second, and the channel's breakers
 * are reset. Repeating the call changes nothing more. The dialect cannot change, because the capabilities of the
 * channel's models belong to it and video tasks under way are polled in it: another dialect is another channel. Throws
 * Refusal.
 */
export async function updateChannel(db: Db, change: ChannelChange, vault: Vault): Promise<Channel> {
  const { channelId } = change;
  await transaction(db, async (tx) => {
    const row = await lockRow(tx, channelId);
    const settings = checkSettings(row.dialect, change, row);
    const { credentials, credentialHints } = sealedAfter(
      row,
      { secrets: change.secrets, baseUrl: settings.baseUrl },
      vault,
    );
    await refuseTakenName(tx, { name: settings.name, channelId });
    // Written even if only the models change, because a new version of the row resets the breakers.
    const written = ormOf(tx)
      .update(channels)
      .set({ ...settings, credentials, credentialHints })
      .where(eq(channels.id, channelId));
    await orRefuse(written, "duplicate", () => nameTaken(settings.name));
    if (change.models || change.capabilities) {
      const before = await getChannel(tx, channelId);
      const models = change.models ?? before.models;
      const kept = Object.entries(before.overrides).filter(([modelId]) => Object.hasOwn(models, modelId));
      const overrides = change.capabilities ?? Object.fromEntries(kept);
      await storeModels(tx, channelId, checkModels({ dialect: row.dialect, ...settings }, models, overrides));
    }
    await reportChange(tx, "channels");
  });
  return await getChannel(db, channelId);
}

/**
 * Every process applies it within a second. Repeating it changes nothing more. Enabling a channel resets its breakers.
 */
export async function setChannelEnabled(
  db: Db,
  { channelId, isEnabled }: { channelId: ChannelId; isEnabled: boolean },
): Promise<Channel> {
  await ormOf(db).update(channels).set({ enabled: isEnabled }).where(eq(channels.id, channelId));
  await reportChange(db, "channels");
  return await getChannel(db, channelId);
}

/**
 * Moves a channel's calls to the other channels of each model, or back; calls under way stay. Dispatch still tries the
 * channel last, if no other channel takes a call. Every process applies it within a second. Repeating it changes
 * nothing more. It resets the channel's breakers.
 */
export async function setChannelMovedOff(
  db: Db,
  { channelId, isMovedOff }: { channelId: ChannelId; isMovedOff: boolean },
): Promise<Channel> {
  await ormOf(db).update(channels).set({ isMovedOff }).where(eq(channels.id, channelId));
  await reportChange(db, "channels");
  return await getChannel(db, channelId);
}

export async function removeChannel(db: Db, channelId: ChannelId): Promise<Channel> {
  const channel = await lockChannel(db, channelId);
  await ormOf(db).delete(channels).where(eq(channels.id, channel.id));
  await reportChange(db, "channels");
  return channel;
}
