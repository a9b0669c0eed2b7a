/** Prices as a file of lines: a preview of its changes, and the import. */
import { z } from "zod";
import { systemClock } from "@/server/base/clock";
import { formatMoney, type Nanos } from "@/server/base/money";
import {
  type FileLine,
  type LineProblem,
  listCatalog,
  type PriceCell,
  readPriceFile,
} from "@/server/catalog";
import type { Db } from "@/server/db";
import { Refusal } from "@/server/domain/refusal";
import { isNoPrice, isOfVideo } from "@/server/pricing";
import { operation } from "./operation";
import { setPrices } from "./prices";

/** In characters: some 10,000 lines. */
const MOST_TEXT = 600_000;

/** The most moments at which prices of one file begin. */
const MOST_MOMENTS = 24;

export const File = z.strictObject({
  csv: z
    .string()
    .min(1)
    .max(MOST_TEXT)
    .describe(
      "Lines of `model,price_of,price,currency,begins_at`; the first line has these names. An empty price removes the price, " +
        "and an empty begins_at means now. Prices that are not in the file stay the same",
    ),
});

/** One price: its value at that moment without the file, and with it. */
type PriceFileChange = { line: number; modelId: string; name: string; beginsAt: Date | null } & Record<
  "before" | "after",
  Nanos | null
>;
type PriceFilePlan = { changes: PriceFileChange[]; unchanged: number; problems: LineProblem[] };

type LineGroup = { beginsAt: Date | null; lines: FileLine[] };

/** Groups lines by the moment at which they begin, earliest first. */
function groupsOf(lines: readonly FileLine[]): LineGroup[] {
  const groups = new Map<number, LineGroup>();
  for (const line of lines) {
    const { beginsAt } = line;
    const group = groups.get(beginsAt?.getTime() ?? 0) ?? { beginsAt, lines: [] };
    group.lines.push(line);
    groups.set(beginsAt?.getTime() ?? 0, group);
  }
  return [...groups].sort(([a], [b]) => a - b).map(([, group]) => group);
}

/** Compares the file's lines with the prices; returns the differences, and the problem of every wrong line. */
export async function plan(
  db: Db,
  { csv, currency }: { csv: string; currency: string },
): Promise<PriceFilePlan & { groups: LineGroup[] }> {
  const now = systemClock();
  const { lines, problems } = readPriceFile(csv, { currency, now });
  const groups = groupsOf(lines);
  const late = groups[MOST_MOMENTS]?.lines[0];
  if (late) {
    const tooMany: LineProblem = { line: late.line, problem: "tooMany", value: String(MOST_MOMENTS) };
    return { groups, changes: [], unchanged: 0, problems: [...problems, tooMany] };
  }
  const changes: PriceFileChange[] = [];
  const wrong: LineProblem[] = [];
  for (const group of groups) {
    const catalog = new Map((await listCatalog(db, group.beginsAt ?? now)).map((entry) => [entry.id, entry]));
    for (const read of group.lines) {
      const { line, modelId, name, beginsAt } = read;
      const entry = catalog.get(modelId);
      const before = entry?.prices.get(name) ?? null;
      const after = isNoPrice(name, read.price) ? null : read.price;
      if (!entry) {
        wrong.push({ line, problem: "modelUnknown", value: modelId });
      } else if (isOfVideo(name) !== (entry.kind === "video")) {
        wrong.push({ line, problem: "nameOfOtherKind", value: name });
      } else if (before !== after) {
        changes.push({ line, modelId, name, beginsAt, before, after });
      }
    }
  }
  return {
    groups,
    changes: changes.sort((a, b) => a.line - b.line),
    unchanged: lines.length - changes.length - wrong.length,
    problems: [...problems, ...wrong].sort((a, b) => a.line - b.line),
  };
}

const inWords = ({ line, problem, value }: LineProblem) =>
  `line ${line}: ${problem}${value === "" ? "" : ` (${value})`}`;

/** Applies all prices of the file, or none. */
export const importFile = operation({
  needs: "prices.write",
  input: File,
  run: async (call, { csv }) => {
    const { groups, changes, problems } = await plan(call.db, { csv, currency: call.config.CURRENCY });
    const [first] = problems;
    if (first) {
      throw new Refusal(
        `nothing was changed: ${problems.map(inWords).join("; ")}`.slice(0, 4_000),
        "priceFileInvalid",
        { count: problems.length, line: first.line },
      );
    }
    // All lines of these models: a line that changes nothing now may do so after an earlier one of the file.
    const changed = new Set(changes.map(({ modelId }) => modelId));
    return await setPrices(
      call,
      groups.map(({ beginsAt, lines }) => ({
        beginsAt: beginsAt ?? undefined,
        cells: lines
          .filter(({ modelId }) => changed.has(modelId))
          .map(({ modelId, name, price }): PriceCell => ({ modelId, name, price })),
      })),
    );
  },
});

/** The plan as it is sent. */
export const toldPlan = ({ changes, unchanged, problems }: PriceFilePlan) => ({
  changes: changes.map(({ before, after, ...change }) => ({
    ...change,
    before: before === null ? null : formatMoney(before),
    after: after === null ? null : formatMoney(after),
  })),
  unchanged,
  problems,
});
