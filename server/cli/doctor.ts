import { join } from "node:path";
import { discoverProvider } from "@/server/access";
import { programFolder } from "@/server/base/built";
import { chargesOf, gatewaysOf, oidcOf } from "@/server/base/config";
import { formatMoney, parseMoney } from "@/server/base/money";
import { countArrears, countIncidents, measureOutage } from "@/server/billing";
import { findUnpriced, listCatalog } from "@/server/catalog";
import { type Channel, findServedModels, isAiling, listChannels } from "@/server/channels";
import {
  describeServer,
  explainState,
  findSchemaState,
  findStandbys,
  lookAtServers,
  sayServer,
  sayStandbys,
} from "@/server/db";
import { findWrongSecrets } from "@/server/operations";
import { arrearsDirectory } from "@/server/runtime/runtime";
import { findKeptAge, snapshotMs } from "@/server/runtime/snapshot";
import { askChannelStates, type SeenStates } from "./channel-states";
import type { Command, CommandContext } from "./command";
import { CheckFailed, reasonOf } from "./findings";

type DoctorCheck = { check: string; ok: boolean; detail: string };

const MIN_VERSION = 150_000;
/** Synchronised clocks differ by milliseconds: this warns long before a server refuses (`clock-watch.ts`). */
const MAX_SKEW_MS = 2_000;

/** Connections of one server: each of its processes has a pool, and one connection that listens. */
const connectionsOf = (config: CommandContext["config"]) =>
  (gatewaysOf(config) + 1) * (config.DATABASE_CONNECTIONS + 1);

async function checkDatabase({ database, config }: CommandContext): Promise<DoctorCheck[]> {
  const before = Date.now();
  const server = await describeServer(database);
  const skewMs = Math.round(Math.abs(server.now - (before + Date.now()) / 2));
  const state = await findSchemaState(database, join(programFolder(), "drizzle"));
  const missing = state.pending.map(({ tag }) => tag).join(", ");
  return [
    { check: "database", ok: server.number >= MIN_VERSION, detail: `PostgreSQL ${server.version}` },
    {
      check: "migrations",
      ok: state.kind === "current",
      detail: explainState(state) ?? (missing === "" ? "current" : `pending, run \`migrate\`: ${missing}`),
    },
    {
      check: "connections",
      ok: connectionsOf(config) <= server.connections,
      detail: `${connectionsOf(config)} at most per server; PostgreSQL allows ${server.connections}`,
    },
    { check: "clock", ok: skewMs <= MAX_SKEW_MS, detail: `${skewMs} ms off the database's clock` },
  ];
}

/** The role of each host, if the address names several: writes go to one of them, and another takes over from it. */
async function checkHosts({ config }: CommandContext): Promise<DoctorCheck[]> {
  const servers = config.DATABASE_URL === undefined ? null : await lookAtServers(config.DATABASE_URL);
  if (servers === null) {
    return [];
  }
  const lines = servers.map(sayServer);
  const primaries = servers.filter(({ role }) => role === "primary");
  const isWell = primaries.length === 1 && servers.every(({ role }) => role !== null);
  return [{ check: "hosts", ok: isWell, detail: lines.join(", ") }];
}

/** Whether a failover can lose charges that were confirmed. */
async function checkStandbys({ database, config: { SYNC_STANDBY } }: CommandContext): Promise<DoctorCheck[]> {
  if (SYNC_STANDBY === "ignore") {
    return [];
  }
  const standbys = await findStandbys(database);
  const isWell =
    standbys.state === "synchronous" || (standbys.state === "none" && SYNC_STANDBY !== "require");
  return [{ check: "standby", ok: isWell, detail: sayStandbys(standbys) }];
}

/** The outage allowances of this process, and whether they can pay for calls. */
async function checkOutage({ db, config }: CommandContext): Promise<DoctorCheck[]> {
  const { parts, granted, allowed } = await measureOutage(db);
  const isAllowed = allowed > 0 || (parseMoney(config.OUTAGE_ALLOWANCE) ?? 0n) > 0n;
  const offers = chargesOf(config) === "file";
  const state = offers
    ? `${formatMoney(granted)} ${config.CURRENCY} in ${parts} parts of processes, for ${config.OUTAGE_MINUTES} minutes`
    : "outage allowances need CHARGES=file: nothing is sold while the database is away";
  return isAllowed ? [{ check: "outage", ok: offers, detail: state }] : [];
}

/** Whether a start could do without the database now. */
async function checkSnapshot({ config }: CommandContext): Promise<DoctorCheck[]> {
  if (config.SNAPSHOT_MINUTES === 0) {
    return [];
  }
  if (snapshotMs(config) === 0) {
    const detail =
      "SNAPSHOT_MINUTES has no effect: it needs DATABASE_URL, CHARGES=file, Linux, and no SYNC_STANDBY=require";
    return [{ check: "snapshot", ok: false, detail }];
  }
  const ageMs = await findKeptAge(config);
  const detail =
    ageMs === null
      ? `${arrearsDirectory(config)} has no usable file: a start without the database would fail`
      : `a start without the database would use a file of ${Math.round(ageMs / 1000)} s ago`;
  return [{ check: "snapshot", ok: ageMs !== null, detail }];
}

async function checkSecrets({ db, secrets }: CommandContext): Promise<DoctorCheck[]> {
  const wrong = await findWrongSecrets(db, secrets).catch(() => null);
  const detail = wrong?.length === 0 ? "match the database" : "";
  return [
    {
      check: "secrets",
      ok: wrong?.length === 0,
      detail:
        detail || (wrong ? `this database was used with a different ${wrong.join(", ")}` : "not known yet"),
    },
  ];
}

/** Whether any channel needs attention; if no server can be asked, the check reports only that. */
function checkStates(channels: Channel[], states: SeenStates): DoctorCheck {
  const ailing: string[] = [];
  const unknown: string[] = [];
  for (const channel of channels) {
    const state = states.stateOf(channel);
    if (state === "unknown") {
      unknown.push(channel.name);
    } else if (isAiling(state)) {
      ailing.push(`${channel.name}: ${state}`);
    }
  }
  const summary = ailing.length === 0 ? "no channel is failing or paused" : ailing.join(", ");
  return {
    check: "states",
    ok: ailing.length === 0,
    detail:
      unknown.length === 0
        ? `${summary}, as reported by the server at ${states.url}`
        : `unknown for ${unknown.join(", ")}: no server answers at ${states.url}`,
  };
}

async function checkChannels({ db, config }: CommandContext): Promise<DoctorCheck[]> {
  const channels = await listChannels(db);
  const models = await listCatalog(db);
  const served = await findServedModels(db);
  const unserved = models
    .filter((model) => model.isEnabled && !served.has(model.id))
    .map((model) => model.id);
  const modelIds = new Set(models.map((model) => model.id));
  const unlisted = [...served].filter((id) => !modelIds.has(id));
  const unpriced = (await findUnpriced(db)).map((model) => model.id);
  return [
    {
      check: "channels",
      ok: served.size > 0,
      detail: `${channels.length} channels serve ${served.size} models`,
    },
    checkStates(channels, await askChannelStates(config)),
    {
      check: "models",
      ok: unserved.length === 0,
      detail:
        unserved.length === 0
          ? `${models.length} models, each with a channel`
          : `no channel serves ${unserved.join(", ")}`,
    },
    {
      check: "catalog",
      ok: unlisted.length === 0,
      detail:
        unlisted.length === 0
          ? "contains every model that a channel serves"
          : `served by a channel but not in the catalog, so requests return 404: ${unlisted.join(", ")}`,
    },
    {
      check: "prices",
      // Not a fault: the model is not sold, so no customer is charged for it or gets it for free.
      ok: true,
      detail:
        unpriced.length === 0
          ? "every model has a price or is free"
          : `not for sale, no price: ${unpriced.join(", ")}`,
    },
  ];
}

const DAY_MS = 86_400_000;

/** A charge on disk is in the ledger much earlier. */
const QUIET_MS = 10_000;

async function checkCharges({ db, config }: CommandContext): Promise<DoctorCheck[]> {
  const waiting = await countArrears(arrearsDirectory(config), { quietMs: QUIET_MS });
  const { late, aboveHold, uncharged, escrows } = await countIncidents(db, new Date(Date.now() - DAY_MS));
  return [
    {
      check: "charges",
      ok: waiting === 0,
      detail:
        waiting === 0
          ? "no delivered request is waiting to be charged"
          : `${waiting} delivered requests are waiting in ${arrearsDirectory(config)}; a running server charges them`,
    },
    {
      check: "ledger",
      ok: aboveHold === 0,
      detail:
        `in the last day, ${aboveHold} requests with a limit were charged above their hold, ${late} were charged late, ` +
        `and ${uncharged} were not charged because their process died; ${escrows} times a process died with reserved ` +
        "money, and what its requests in progress had delivered is not charged",
    },
  ];
}

/** Whether users can sign in through the provider: sends the same first request as a sign-in. */
async function checkProvider({ config }: CommandContext): Promise<DoctorCheck[]> {
  const oidc = oidcOf(config);
  if (!oidc) {
    return [];
  }
  const detail = await discoverProvider(oidc).then(
    () => null,
    (error: unknown) => reasonOf(error),
  );
  return [
    { check: "sign-in", ok: detail === null, detail: detail ?? `also with ${oidc.name}, ${oidc.issuer}` },
  ];
}

export const doctor: Command = {
  summary: "Check configuration, database, migrations, clock and channels",
  flags: {},
  run: async (context) => {
    const where = context.config.DATABASE_URL ? "external database" : "embedded database";
    const checks: DoctorCheck[] = [
      {
        check: "config",
        ok: true,
        detail: `${where}, ${context.config.BILLING_TIMEZONE}, ${context.config.CURRENCY}`,
      },
      ...(await checkHosts(context)),
      ...(await checkDatabase(context)),
      ...(await checkStandbys(context)),
      ...(await checkOutage(context)),
      ...(await checkSnapshot(context)),
      ...(await checkSecrets(context)),
      ...(await checkChannels(context)),
      ...(await checkCharges(context)),
    ];
    checks.push(...(await checkProvider(context)));
    if (checks.some((check) => !check.ok)) {
      throw new CheckFailed("some checks failed", checks);
    }
    return checks;
  },
};
