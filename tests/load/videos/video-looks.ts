import { percentile } from "../measures/percentile";

/** What the vendor takes for an answer, evenly spread. */
export const FASTEST_LOOK_MS = 50;
export const SLOWEST_LOOK_MS = 300;

/** A task as its vendor knows it; unix milliseconds of the machine. `looks`: when it answered a poll. */
export type TaskLooks = { prompt: string; madeAt: number; looks: number[] };

export type Span = { from: number; to: number };

/** Distances between two looks at one task, in milliseconds. */
export type Gaps = {
  perSecond: number;
  shortest: number;
  p50: number;
  p95: number;
  longest: number;
  /** Of the gaps, those no longer than a round may take. */
  inTimeShare: number;
};

/** A round, and what a look may come later without being late; see docs/benchmarks.md. */
export const ROUND_MS = 15_000;
export const SLACK_MS = 3_000;
const LATE_MS = ROUND_MS + SLACK_MS;

/** From the submission to the first look of all tasks, and the time in which these looks were made. */
export function firstGaps(tasks: TaskLooks[]): Gaps {
  const firsts = tasks.flatMap(({ looks }) => looks.slice(0, 1));
  const gaps = tasks.flatMap(({ madeAt, looks }) => looks.slice(0, 1).map((at) => at - madeAt));
  return summarise(gaps, { from: Math.min(...firsts), to: Math.max(...firsts) });
}

/** From look to look, where the later one is within the span. A gap that is still open counts once it is late. */
export function laterGaps(tasks: TaskLooks[], span: Span): Gaps {
  const gaps = tasks.flatMap(({ looks }) => {
    const known = looks.filter((at) => at <= span.to);
    const ended = known
      .map((at, index) => ({ at, gap: at - (known[index - 1] ?? Number.NaN) }))
      .filter(({ at, gap }) => at >= span.from && !Number.isNaN(gap))
      .map(({ gap }) => gap);
    const open = span.to - (known.at(-1) ?? span.to);
    return open > LATE_MS ? [...ended, open] : ended;
  });
  return summarise(gaps, span);
}

/** How many looks were made within a span. */
export const countLooks = (tasks: TaskLooks[], { from, to }: Span): number =>
  tasks.flatMap(({ looks }) => looks.filter((at) => at >= from && at <= to)).length;

function summarise(gaps: number[], { from, to }: Span): Gaps {
  const sorted = gaps.toSorted((left, right) => left - right);
  return {
    perSecond: (sorted.length * 1_000) / (to - from),
    shortest: sorted[0] ?? Number.NaN,
    p50: percentile(sorted, 0.5),
    p95: percentile(sorted, 0.95),
    longest: sorted.at(-1) ?? Number.NaN,
    inTimeShare: sorted.filter((gap) => gap <= LATE_MS).length / sorted.length,
  };
}
