/**
 * Decides whether calls can be served: tries what they need, over the connections that they use. `/readyz` prints the
 * result in words that reveal no secrets (docs/monitoring.md).
 */
import { writeDurably } from "@/server/access";
import { stopwatch } from "@/server/base/clock";
import { withinMs } from "@/server/base/deadline";
import type { Log } from "@/server/base/log";
import type { Secrets } from "@/server/base/secrets";
import {
  askPools,
  type Database,
  errorCode,
  explainState,
  findSchemaState,
  type ReadReplica,
  reasonOf,
} from "@/server/db";
import { findWrongSecrets } from "@/server/operations";
import { type ClockWatch, sayClock } from "./clock-watch";
import type { StandbyWatch } from "./standby-watch";

/** `trouble`: in words; null: none. `isNeeded`: calls cannot be served without it. */
type Finding = { name: string; trouble: string | null; isNeeded: boolean };

export type HealthReport = { isReady: boolean; findings: Finding[] };

export type HealthWatch = {
  /**
   * Checks at most once a second and once at a time, however many callers there are, within a deadline. Does not throw.
   */
  check: () => Promise<HealthReport>;
  /** Called after each write of money, with the database's error or null. */
  noteWrite: (error: unknown) => void;
  stop: () => void;
};

type HealthDeps = {
  db: Database;
  secrets: Secrets;
  log: Log;
  clock: ClockWatch;
  /** The folder of this release's migrations. */
  migrations: string;
  /** As `heardAt` of `watchChanges`. */
  heardAt: () => number;
  replica: ReadReplica | null;
  /** null: calls need no standby. */
  standbys: StandbyWatch | null;
  /** Whether calls are served while the database is away: then no check of the database is needed. */
  servesAlone: () => boolean;
  /** null: no Redis is configured. */
  askRedis: () => Promise<boolean> | null;
  /** When the snapshot was taken that this process serves from. null: it serves from the database. */
  snapshotAt: number | null;
};

/** Shorter than the time-outs of the callers. */
const DEADLINE_MS = 2_000;
const KEPT_MS = 1_000;
const WATCH_EVERY_MS = 5_000;
/** Three of the notices that a process sends itself. */
const UNHEARD_MS = 16_000;
/**
 * A failed write of money is reported for this long, unless another one succeeds: without calls there is no other
 * write.
 */
const FAILED_WRITE_MS = 15_000;

/**
 * Asks a question once at a time: a question that is still open, even one that its caller no longer waits for, answers
 * all callers.
 */
function single(ask: () => Promise<string | null>): () => Promise<string | null> {
  let pending: Promise<string | null> | null = null;
  return () => {
    pending ??= ask().finally(() => {
      pending = null;
    });
    return pending;
  };
}

const saySnapshot = (takenAt: number): string =>
  `the database was away at the start: keys, prices and channels are those of ${new Date(takenAt).toISOString()}, ` +
  `${Math.floor((Date.now() - takenAt) / 60_000)} minutes ago, until it is back`;

type HealthCheck = { name: string; isNeeded: boolean; ask: () => Promise<string | null>; late: string };

/** The checks of what calls need from the database, each over the pool that they use for it. */
function questionsOf(deps: HealthDeps): HealthCheck[] {
  const { db, secrets, clock, migrations, heardAt, askRedis, replica, standbys, servesAlone } = deps;
  const late = `no answer within ${DEADLINE_MS} ms`;
  const database = (what: string, ask: () => Promise<string | null>) => async () =>
    await ask().catch((error: unknown) => `${what}: ${reasonOf(error)}`);
  const startedAt = stopwatch();
  return [
    {
      name: "connections",
      isNeeded: true,
      ask: database("the database does not answer", async () => {
        await askPools(db);
        return null;
      }),
      late: `${late}: every connection for calls is taken, or the database is silent`,
    },
    {
      name: "writes",
      isNeeded: true,
      ask: database("the database takes no writes", async () => {
        await writeDurably(db, process.pid);
        return null;
      }),
      late: `${late}: no free connection, or a disk that does not write`,
    },
    {
      name: "migrations",
      isNeeded: true,
      ask: database("the schema cannot be read", async () =>
        explainState(await findSchemaState(db, migrations)),
      ),
      late,
    },
    {
      name: "secrets",
      isNeeded: true,
      ask: database("the checks of secrets cannot be read", async () => {
        const wrong = await findWrongSecrets(db, secrets);
        return wrong.length > 0 ? `the database is used with another ${wrong.join(" and another ")}` : null;
      }),
      late,
    },
    {
      name: "clock",
      isNeeded: true,
      ask: async () => {
        // A database that is away does not answer, and the last measurement holds.
        if (!servesAlone()) {
          await clock.measure();
        }
        return clock.isRight() ? null : `this machine's clock is ${sayClock(clock.skewMs())}`;
      },
      late,
    },
    {
      name: "standby",
      isNeeded: true,
      ask: async () => {
        await standbys?.look();
        return standbys?.whyNotSell() ?? null;
      },
      late,
    },
    {
      name: "notices",
      // Caches expire by themselves within a minute: no reason to take all replicas out of service at once.
      isNeeded: false,
      ask: async () =>
        stopwatch() - Math.max(startedAt, heardAt()) > UNHEARD_MS
          ? "none arrives: what LISTEN waits for is lost on the way, and changes (a disabled key) are known up to a minute late"
          : null,
      late,
    },
    {
      name: "snapshot",
      // Calls are served as far as it goes, and the console is not.
      isNeeded: false,
      ask: async () => (deps.snapshotAt === null ? null : saySnapshot(deps.snapshotAt)),
      late,
    },
    {
      name: "replica",
      // Until it is well, lists are read from the database itself.
      isNeeded: false,
      ask: async () => replica?.trouble() ?? null,
      late,
    },
    {
      name: "redis",
      isNeeded: false,
      ask: async () =>
        (await (askRedis() ?? true))
          ? null
          : "it does not answer: PostgreSQL counts rate limits until it does",
      late: "it does not answer: PostgreSQL counts rate limits until it does",
    },
  ];
}

/** Logs once when a check begins to fail, and once when it succeeds again. */
function createTeller(log: Log): (findings: Finding[]) => void {
  const failingChecks = new Set<string>();
  return (findings) => {
    for (const { name, trouble, isNeeded } of findings) {
      if (trouble !== null && !failingChecks.has(name)) {
        failingChecks.add(name);
        log.error({ check: name, trouble, isNeeded }, "a health check fails: see /readyz");
      } else if (trouble === null && failingChecks.delete(name)) {
        log.info({ check: name }, "in order again");
      }
    }
  };
}

/** Watches the clock and the notices; the other checks are made on request. */
export function watchHealth(deps: HealthDeps): HealthWatch {
  const questions = questionsOf(deps)
    .filter(({ name }) => name !== "redis" || deps.askRedis() !== null)
    .filter(({ name }) => name !== "replica" || deps.replica !== null)
    .filter(({ name }) => name !== "snapshot" || deps.snapshotAt !== null)
    .filter(({ name }) => name !== "standby" || deps.standbys !== null)
    .map((question) => ({ ...question, ask: single(question.ask) }));
  const tell = createTeller(deps.log);
  let failed: { at: number; reason: string } | null = null;
  const noteWrite = (error: unknown) => {
    const isShort = /^(25006|53|58)/.test(errorCode(error) ?? "");
    if (error === null) {
      failed = null;
    } else if (isShort) {
      failed = { at: stopwatch(), reason: reasonOf(error) };
    }
  };
  /** The smallest write may have room where a charge has none, so a failed charge counts as well. */
  const ofCalls = () =>
    failed !== null && stopwatch() - failed.at < FAILED_WRITE_MS
      ? `the database refused to write what a call costs: ${failed.reason}`
      : null;

  async function find({ name, isNeeded, ask, late }: HealthCheck): Promise<Finding> {
    const answered = await withinMs(
      ask().then((trouble) => ({ trouble })),
      DEADLINE_MS,
    );
    const { trouble } = answered ?? { trouble: late };
    return {
      name,
      isNeeded: isNeeded && (name === "clock" || !deps.servesAlone()),
      trouble: trouble ?? (name === "writes" ? ofCalls() : null),
    };
  }

  async function look(which: (question: HealthCheck) => boolean): Promise<Finding[]> {
    const findings = await Promise.all(questions.filter(which).map(find));
    tell(findings);
    return findings;
  }

  let kept: { at: number; health: Promise<HealthReport> } | null = null;
  const check = () => {
    if (kept === null || stopwatch() - kept.at >= KEPT_MS) {
      const at = stopwatch();
      const health = look(() => true).then((findings) => {
        // From now on, not from the start of the check: a slow check would never be kept.
        kept = { at: stopwatch(), health };
        return {
          isReady: findings.every(({ trouble, isNeeded }) => trouble === null || !isNeeded),
          findings,
        };
      });
      kept = { at: at + DEADLINE_MS, health };
    }
    return kept.health;
  };

  const watch = setInterval(
    () => void look(({ name }) => name === "clock" || name === "notices"),
    WATCH_EVERY_MS,
  );
  watch.unref();
  return { check, noteWrite, stop: () => clearInterval(watch) };
}

/** The body of `/readyz`: one line for the whole, and one for each check. */
export const sayHealth = ({ isReady, findings }: HealthReport): string =>
  [
    isReady ? "ready" : "not ready",
    ...findings.map(({ name, trouble, isNeeded }) => {
      const state = isNeeded ? "FAILED" : "degraded";
      return `${name}: ${trouble === null ? "ok" : `${state}: ${trouble}`}`;
    }),
    "",
  ].join("\n");
