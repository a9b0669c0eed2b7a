import { z } from "zod";
import type { Database } from "@/server/db";
import { relaxed, sqlOf } from "@/server/db/handles";
import { type ChannelId, newId } from "@/server/domain/ids";
import { faultReasons, operations } from "@/server/upstream";
import { type AttemptEvent, type HealthEvents, isFault, NO_PROBE, quietOutcomes } from "./events";

const CHANNEL = "tollgate_sightings";

/** PostgreSQL refuses a notice of 8,000 bytes. */
const MAX_BYTES = 7_500;
/** Keeps a notice with one event below the limit, even if each character takes six bytes. */
const MAX_WORDS = 500;
/** Events that wait for a slow database; the oldest are dropped first. */
const MAX_WAITING = 1_000;

/** The fields that every event has. Processes of an earlier release need exactly these names. */
const fields = {
  channelId: z.custom<ChannelId>((value) => typeof value === "string"),
  name: z.string(),
  version: z.string(),
  operation: z.enum(operations),
  credential: z.number().int(),
  accountId: z.string(),
  isCounted: z.boolean(),
  at: z.number(),
  // Earlier releases do not send it.
  elapsedMs: z.number().default(0),
};

const Fault = z.object({
  reason: z.enum(faultReasons),
  status: z.number().nullable(),
  retryAfterMs: z.number().nullable(),
  message: z.string(),
});

/**
 * A notice from another process, possibly of a later release. Unknown fields are dropped. `quiet`: attempts that ended
 * neither well nor with a fault; an earlier release would take them for successes in `seen`.
 */
const Notice = z.object({
  from: z.string(),
  seen: z.array(
    z.object({ ...fields, isStreamEnd: z.boolean(), oks: z.number().int(), fault: Fault.nullable() }),
  ),
  quiet: z.array(z.object({ ...fields, outcome: z.enum(quietOutcomes) })).default([]),
});

type Seen = z.input<typeof Notice>["seen"][number];
type Quiet = z.infer<typeof Notice>["quiet"][number];

/** The event as other processes read it, with the member of the notice that it belongs to. */
function entryOf({ kind, outcome, count, probed: _, ...event }: AttemptEvent): {
  list: "seen" | "quiet";
  entry: Seen | Quiet;
} {
  if (outcome !== "ok" && !isFault(outcome)) {
    return { list: "quiet", entry: { ...event, outcome } };
  }
  const fault = isFault(outcome) ? { ...outcome, message: outcome.message.slice(0, MAX_WORDS) } : null;
  const isStreamEnd = kind === "streamEnd";
  return { list: "seen", entry: { ...event, isStreamEnd, oks: fault ? 0 : count, fault } };
}

/** Packs the events into as few notices as possible, in order. */
export function packNotices(from: string, events: readonly AttemptEvent[]): string[] {
  const packed: { seen: string[]; quiet: string[] }[] = [];
  let bytes = MAX_BYTES;
  for (const { list, entry } of events.map(entryOf)) {
    const text = JSON.stringify(entry);
    const more = Buffer.byteLength(text) + 1;
    if (bytes + more > MAX_BYTES) {
      packed.push({ seen: [], quiet: [] });
      bytes = 0;
    }
    packed.at(-1)?.[list].push(text);
    bytes += more;
  }
  return packed.map(
    ({ seen, quiet }) =>
      `{"from":${JSON.stringify(from)},"seen":[${seen.join(",")}],"quiet":[${quiet.join(",")}]}`,
  );
}

/** The events of a notice. null: it is our own, or this release cannot read it. */
export function readNotice(me: string, text: string): AttemptEvent[] | null {
  try {
    const { from, seen, quiet } = Notice.parse(JSON.parse(text));
    if (from === me) {
      return null;
    }
    const events = seen.map(
      ({ isStreamEnd, oks, fault, ...event }): AttemptEvent => ({
        ...event,
        kind: isStreamEnd ? "streamEnd" : "attempt",
        outcome: fault ?? "ok",
        count: fault ? 1 : oks,
        probed: NO_PROBE,
      }),
    );
    const attempt = { kind: "attempt", count: 1, probed: NO_PROBE } as const;
    return [...events, ...quiet.map((event) => ({ ...event, ...attempt }))];
  } catch {
    return null;
  }
}

/**
 * Exchanges health events between all processes of an installation by NOTIFY. If notices are lost because the database
 * was away, each process meets the faults itself.
 */
export async function openSightings(db: Database): Promise<HealthEvents> {
  const me = newId("proc");
  const hearers: ((events: AttemptEvent[]) => void)[] = [];
  await sqlOf(db).listen(CHANNEL, (text) => {
    const events = readNotice(me, text);
    for (const hear of events === null ? [] : hearers) {
      hear(events ?? []);
    }
  });
  const waiting: AttemptEvent[] = [];
  let isTelling = false;
  /** Sends one statement after the other, because two at once could overtake each other. */
  const tellWaiting = async () => {
    isTelling = true;
    while (waiting.length > 0) {
      const notices = packNotices(me, waiting.splice(0));
      // Losing these is harmless, so no disk write is awaited.
      await sqlOf(relaxed(db))`
        select pg_notify(${CHANNEL}, notice) from unnest(${notices}::text[]) with ordinality as told (notice, place)
        order by place`.catch(() => {});
    }
    isTelling = false;
  };
  return {
    publish: (events) => {
      waiting.push(...events);
      waiting.splice(0, waiting.length - MAX_WAITING);
      if (!isTelling) {
        void tellWaiting();
      }
    },
    listen: (hear) => void hearers.push(hear),
  };
}
