/** Checks vendors' lists on a schedule, to find models that a vendor has added or removed since an operator looked. */
import { asc, eq, lte, sql } from "drizzle-orm";
import { type Db, type Tx, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { isNextOf, leaseFor } from "@/server/db/lease";
import type { VendorApi } from "@/server/domain/enums";
import type { ChannelId } from "@/server/domain/ids";
import { kindAt } from "@/server/domain/model-kinds";
import type { ModelList } from "./model-lists";
import { getChannel } from "./settings/view";

const { channelModelChecks, channels } = tables;

/** A channel's schedule, and the result of the last check. */
export type ModelCheck = Omit<typeof channelModelChecks.$inferSelect, "knownModels"> & { channel: string };

/** A process that dies during a check leaves it to another after it. */
const LEASE_SECONDS = 600;

const columns = {
  channelId: channelModelChecks.channelId,
  channel: channels.name,
  everyDays: channelModelChecks.everyDays,
  dueAt: channelModelChecks.dueAt,
  checkedAt: channelModelChecks.checkedAt,
  failure: channelModelChecks.failure,
  newModels: channelModelChecks.newModels,
  goneModels: channelModelChecks.goneModels,
};

/**
 * Pure. All names are the vendor's. `known`: those that an operator has seen; null: there was no list yet, so that nothing
 * on it is new. A served model is gone once, and again only after it was listed again. By a list that was cut only those
 * are gone that were before (`gone`).
 */
export function compare(lists: {
  dialect: VendorApi;
  listed: ModelList["models"];
  isWhole: boolean;
  known: readonly string[] | null;
  gone: readonly string[];
  served: Readonly<Record<string, string>>;
}) {
  const { dialect, listed, isWhole, known, gone, served } = lists;
  const upstreamNames = new Set(Object.values(served));
  const names = listed.filter((model) => kindAt(dialect, model) !== null).map(({ name }) => name);
  const all = new Set(listed.map(({ name }) => name));
  const seenNames = new Set(known ?? [...names, ...upstreamNames]);
  return {
    knownModels: [...new Set([...seenNames, ...[...upstreamNames].filter((name) => all.has(name))])],
    newModels: names.filter((name) => !seenNames.has(name) && !upstreamNames.has(name)),
    goneModels: [...upstreamNames].filter(
      (name) => !all.has(name) && (isWhole ? seenNames.has(name) : gone.includes(name)),
    ),
  };
}

/** Asks the channel's vendor every so many days, the first time at once; null: no longer. Repeating it changes nothing. */
export async function setModelCheck(
  db: Db,
  { channelId, everyDays }: { channelId: ChannelId; everyDays: number | null },
): Promise<void> {
  const orm = ormOf(db);
  if (everyDays === null) {
    await orm.delete(channelModelChecks).where(eq(channelModelChecks.channelId, channelId));
    return;
  }
  const dueAt = sql`coalesce(${channelModelChecks.checkedAt} + make_interval(days => ${everyDays}), now())`;
  await orm
    .insert(channelModelChecks)
    .values({ channelId, everyDays, dueAt: sql`now()` })
    .onConflictDoUpdate({ target: channelModelChecks.channelId, set: { everyDays, dueAt } });
}

/** All checks, by the channel's name. Models that the channel serves by now are not new, and others are not gone. */
export async function listModelChecks(db: Db): Promise<ModelCheck[]> {
  const checks = await ormOf(db)
    .select(columns)
    .from(channelModelChecks)
    .innerJoin(channels, eq(channels.id, channelModelChecks.channelId))
    .orderBy(asc(channels.name));
  return await Promise.all(
    checks.map(async (check) => {
      const hasNone = check.newModels.length === 0 && check.goneModels.length === 0;
      const { models } = hasNone ? { models: {} } : await getChannel(db, check.channelId);
      const upstreamNames = new Set(Object.values(models));
      return {
        ...check,
        newModels: check.newModels.filter((name) => !upstreamNames.has(name)),
        goneModels: check.goneModels.filter((name) => upstreamNames.has(name)),
      };
    }),
  );
}

/** An operator has seen the changes, so they are reported no more. Returns the changes. */
export async function seeModelChanges(db: Db, channelId: ChannelId) {
  const ofChannel = eq(channelModelChecks.channelId, channelId);
  const orm = ormOf(db);
  const [check] = await orm.select().from(channelModelChecks).where(ofChannel).for("update");
  const { newModels = [], goneModels = [], knownModels = null } = check ?? {};
  await orm
    .update(channelModelChecks)
    .set({
      knownModels: knownModels && [...knownModels, ...newModels].filter((name) => !goneModels.includes(name)),
      newModels: [],
      goneModels: [],
    })
    .where(ofChannel);
  return { newModels, goneModels };
}

/** The next channel whose vendor is due to be asked, for one process until its lease ends. null: none. */
export async function claimModelCheck(db: Db): Promise<ChannelId | null> {
  const isNext = isNextOf(db, channelModelChecks.channelId, {
    where: lte(channelModelChecks.dueAt, sql`now()`),
    orderBy: [channelModelChecks.dueAt],
    limit: 1,
  });
  const [claimed] = await ormOf(db)
    .update(channelModelChecks)
    .set({ dueAt: leaseFor(LEASE_SECONDS) })
    .where(isNext)
    .returning({ channelId: channelModelChecks.channelId });
  return claimed?.channelId ?? null;
}

/**
 * Stores the vendor's answer. Returns the changes that no earlier check found. null: there are none, the vendor did not
 * answer, or the schedule has ended meanwhile.
 */
export async function storeModelCheck(tx: Tx, channelId: ChannelId, { models, isWhole, failure }: ModelList) {
  const ofChannel = eq(channelModelChecks.channelId, channelId);
  const orm = ormOf(tx);
  const [check] = await orm.select().from(channelModelChecks).where(ofChannel).for("update");
  if (!check) {
    return null;
  }
  if (failure) {
    const reason = failure.message || String(failure.status ?? failure.reason);
    // A moment's failure must not cost a month.
    const nextDay = sql`now() + interval '1 day'`;
    await orm.update(channelModelChecks).set({ dueAt: nextDay, failure: reason }).where(ofChannel);
    return null;
  }
  const { id, name, dialect, models: served } = await getChannel(tx, channelId);
  const found = compare({
    dialect,
    listed: models,
    isWhole,
    known: check.knownModels,
    gone: check.goneModels,
    served,
  });
  const dueAt = sql`now() + make_interval(days => ${channelModelChecks.everyDays})`;
  await orm
    .update(channelModelChecks)
    .set({ dueAt, failure: null, checkedAt: sql`now()`, ...found })
    .where(ofChannel);
  const unreported = (names: string[], before: string[]) => names.filter((each) => !before.includes(each));
  const fresh = {
    newModels: unreported(found.newModels, check.newModels),
    goneModels: unreported(found.goneModels, check.goneModels),
  };
  return fresh.newModels.length + fresh.goneModels.length === 0 ? null : { id, name, ...fresh };
}
