import { z } from "zod";
import { type ChannelId, newId } from "@/server/base/ids";
import type { Database } from "@/server/db";
import { relaxed, sqlOf } from "@/server/db/handles";
import { faultReasons, operations } from "@/server/upstream";
import type { HealthEvent, HealthEvents } from "./health-events";

const CHANNEL = "tollgate_sightings";

/** PostgreSQL refuses a notice of 8,000 bytes. */
const MAX_BYTES = 7_500;
/** Keeps a notice with one event below the limit, even if each character takes six bytes. */
const MAX_WORDS = 500;
/** Events that wait for a slow database; the oldest are dropped first. */
const MAX_WAITING = 1_000;

/** A notice from another process, possibly of a later release. Unknown fields are dropped. */
const Notice = z.object({
  from: z.string(),
  seen: z.array(
    z.object({
      channelId: z.custom<ChannelId>((value) => typeof value === "string"),
      name: z.string(),
      version: z.string(),
      operation: z.enum(operations),
      credential: z.number().int(),
      accountId: z.string(),
      isCounted: z.boolean(),
      isStreamEnd: z.boolean(),
      oks: z.number().int(),
      at: z.number(),
      fault: z
        .object({
          reason: z.enum(faultReasons),
          status: z.number().nullable(),
          retryAfterMs: z.number().nullable(),
          message: z.string(),
        })
        .nullable(),
    }),
  ),
});

const shortened = ({ fault, ...sighting }: HealthEvent): HealthEvent => ({
  ...sighting,
  fault: fault && { ...fault, message: fault.message.slice(0, MAX_WORDS) },
});

/** Packs the events into as few notices as possible, in order. */
export function packNotices(from: string, sightings: readonly HealthEvent[]): string[] {
  const packed: string[][] = [];
  let bytes = MAX_BYTES;
  for (const text of sightings.map((sighting) => JSON.stringify(shortened(sighting)))) {
    const more = Buffer.byteLength(text) + 1;
    if (bytes + more > MAX_BYTES) {
      packed.push([]);
      bytes = 0;
    }
    packed.at(-1)?.push(text);
    bytes += more;
  }
  return packed.map((texts) => `{"from":${JSON.stringify(from)},"seen":[${texts.join(",")}]}`);
}

/** The events of a notice. null: it is our own, or this release cannot read it. */
export function readNotice(me: string, text: string): HealthEvent[] | null {
  try {
    const { from, seen: events } = Notice.parse(JSON.parse(text));
    return from === me ? null : events;
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
  const hearers: ((sightings: HealthEvent[]) => void)[] = [];
  await sqlOf(db).listen(CHANNEL, (text) => {
    const events = readNotice(me, text);
    for (const hear of events === null ? [] : hearers) {
      hear(events ?? []);
    }
  });
  const waiting: HealthEvent[] = [];
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
    publish: (sightings) => {
      waiting.push(...sightings);
      waiting.splice(0, waiting.length - MAX_WAITING);
      if (!isTelling) {
        void tellWaiting();
      }
    },
    listen: (hear) => void hearers.push(hear),
  };
}
