/** The charges for one model on one day; `amount` is a decimal string in currency units. */
export type SpendDay = {
  /** YYYY-MM-DD. */
  day: string;
  modelId: string;
  calls: number;
  amount: string;
  inputTokens: number;
  outputTokens: number;
};

export const measures = ["cost", "calls", "tokens"] as const;
export type Measure = (typeof measures)[number];

/** The link for days (YYYY-MM-DD), both included. */
export type HrefOfDays = (days: { from: string; to: string }) => string;

export const spendViews = ["chart", "table"] as const;

const DAY_MS = 86_400_000;

/** To draw only: the last digits of an amount may get lost. */
const figureOf = (spend: SpendDay, measure: Measure): number =>
  ({ cost: Number(spend.amount), calls: spend.calls, tokens: spend.inputTokens + spend.outputTokens })[
    measure
  ];

const dayText = (at: number) => new Date(at).toISOString().slice(0, 10);

/** The days of a month (YYYY-MM), also those to come: on its first days the chart shows how much is left of it. */
export const daysOfMonth = (period: string): string[] =>
  daysBetween(`${period}-01`, dayText(Date.UTC(Number(period.slice(0, 4)), Number(period.slice(5)), 0)));

/** The last 30 days, today included. */
export const lastDays = (today: string): string[] =>
  daysBetween(dayText(Date.parse(today) - 29 * DAY_MS), today);

/** Every day from `first` to `last`, both included. */
export function daysBetween(first: string, last: string): string[] {
  const [from, until] = [Date.parse(first), Date.parse(last)];
  const count = Math.max(0, Math.round((until - from) / DAY_MS) + 1);
  return Array.from({ length: count }, (_, index) => dayText(from + index * DAY_MS));
}

export type SpendSeries = {
  /** The models, the greatest first. */
  models: string[];
  /** Whether each row has one more value, for all other models. */
  hasOthers: boolean;
  /** Values by day in the order of `models`, then the value of the others. */
  rows: { day: string; values: number[] }[];
};

/** Days as stacked bars: the `maxModels` greatest models separately, the rest as one. */
export function seriesOf(
  spend: SpendDay[],
  { measure, days, maxModels }: { measure: Measure; days: string[]; maxModels: number },
): SpendSeries {
  const totals = new Map<string, number>();
  for (const entry of spend) {
    totals.set(entry.modelId, (totals.get(entry.modelId) ?? 0) + figureOf(entry, measure));
  }
  const ranked = [...totals].sort(([, a], [, b]) => b - a).map(([modelId]) => modelId);
  const models = ranked.slice(0, maxModels);
  const hasOthers = ranked.length > maxModels;
  const rows = new Map(days.map((day) => [day, Array<number>(models.length + (hasOthers ? 1 : 0)).fill(0)]));
  for (const entry of spend) {
    const values = rows.get(entry.day);
    const rank = models.indexOf(entry.modelId);
    const place = rank < 0 ? models.length : rank;
    if (values) {
      values[place] = (values[place] ?? 0) + figureOf(entry, measure);
    }
  }
  return { models, hasOthers, rows: [...rows].map(([day, values]) => ({ day, values })) };
}
