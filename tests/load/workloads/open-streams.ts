import { Pool } from "undici";
import { modelOf, STEADY_MS } from "../chat";
import { spreadOf } from "../measures/percentile";
import { ageReader } from "./event-ages";
import { type LoadTarget, readStream } from "./read-stream";

/** `streams` are opened at once; after `settleMs`, the events of the next `windowMs` count. */
export type OpenStreams = { streams: number; settleMs: number; windowMs: number };

export type HeldStreams = Awaited<ReturnType<typeof holdStreams>>;

function createWindow({ settleMs, windowMs }: OpenStreams) {
  const from = performance.now() + settleMs;
  const ages: number[] = [];
  const gaps: number[] = [];
  return {
    ages,
    gaps,
    reader: () => {
      let last = Number.NaN;
      let isWithin = false;
      const read = ageReader((micros) => void (isWithin && ages.push(micros / 1e3)));
      return (piece: Buffer) => {
        const now = performance.now();
        isWithin = now >= from && now < from + windowMs;
        if (isWithin && !Number.isNaN(last)) {
          gaps.push(now - last);
        }
        last = now;
        read(piece);
      };
    },
  };
}

/** Events of a stream after the window, so that no stream ends within it. */
const EVENTS_AFTER = 25;

/** Streams with an event every 20 ms, all open at once and read to their ends. Throws if one is not complete. */
export async function holdStreams(
  target: LoadTarget,
  plan: OpenStreams,
  during: () => Promise<unknown> = async () => {},
) {
  const { streams, settleMs, windowMs } = plan;
  const events = Math.ceil((settleMs + windowMs) / STEADY_MS) + EVENTS_AFTER;
  const call = { model: modelOf("steady"), events };
  const pool = new Pool(target.url, { connections: streams, pipelining: 1 });
  try {
    const window = createWindow(plan);
    const [readings] = await Promise.all([
      Promise.all(
        Array.from({ length: streams }, () => readStream(pool, target, { call, onPiece: window.reader() })),
      ),
      during(),
    ]);
    const due = (streams * windowMs) / STEADY_MS;
    return {
      firstEvent: spreadOf(readings.map(({ firstByteMs }) => firstByteMs)),
      age: spreadOf(window.ages),
      /** The time between two moments at which a stream delivered something. */
      gap: spreadOf(window.gaps),
      /** The share of the events due in the window that arrived in it; see docs/benchmarks.md. */
      arrivedShare: Math.min(1, window.ages.length / due),
      /** The share of the events due in the window that arrived in it before the next one was due. */
      inTimeShare: Math.min(1, window.ages.filter((age) => age <= STEADY_MS).length / due),
    };
  } finally {
    await pool.destroy();
  }
}
