/** The result of an apply for people. */
import { snakeCase } from "@/server/base/snake-case";
import type { Result } from "./apply";
import { inFile } from "./in-file";
import type { Action, Difference, Outcome } from "./outcome";

const signs = { create: "+", change: "~", none: " ", remove: "-", disable: "-" } as const satisfies Record<
  Action,
  string
>;

const isEmpty = (value: unknown) =>
  value === null || (typeof value === "object" && Object.keys(value).length === 0);

/** A value on one line. */
function flow(value: unknown): string {
  if (Array.isArray(value)) {
    return `[${value.map(flow).join(", ")}]`;
  }
  if (typeof value === "object" && value !== null) {
    return `{ ${Object.entries(value)
      .filter(([, inner]) => !isEmpty(inner))
      .map(([name, inner]) => `${name}: ${flow(inner)}`)
      .join(", ")} }`;
  }
  return value === "" ? '""' : String(value);
}

const isRow = (value: unknown): boolean => typeof value === "object" && value !== null;

/** Of a list of rows only those that differ. */
function rowLines(before: readonly unknown[], after: readonly unknown[]): string[] {
  const [was, is] = [before.map(flow), after.map(flow)];
  const gone = was.filter((row) => !is.includes(row)).map((row) => `  - ${row}`);
  const added = is.filter((row) => !was.includes(row)).map((row) => `  + ${row}`);
  return gone.length + added.length === 0 ? ["  in another order"] : [...gone, ...added];
}

function linesOf({ member, before, after, note }: Difference): string[] {
  const name = snakeCase(member);
  if (note !== undefined) {
    return [`${name}: ${note}`];
  }
  const rows = [before ?? [], after ?? []] as unknown[];
  if (rows.every(Array.isArray) && rows.flat().some(isRow)) {
    return [`${name}:`, ...rowLines(inFile(rows[0]) as unknown[], inFile(rows[1]) as unknown[])];
  }
  const now = flow(inFile(after));
  return [before === undefined ? `${name}: ${now}` : `${name}: ${flow(inFile(before))} -> ${now}`];
}

const WIDTH = 44;

const ends = {
  remove: { planned: "to be removed", done: "removed" },
  disable: { planned: "to be disabled", done: "disabled" },
};

function outcomeLines({ action, title, place, differences }: Outcome, isDry: boolean): string[] {
  const end = action === "remove" || action === "disable" ? ends[action] : null;
  const why = end ? `${isDry ? end.planned : end.done}: no file names it any more` : "";
  const where = place ? `${place.file}:${place.line}` : why;
  const head = `${signs[action]} ${title}`;
  return [
    where === "" ? head : `${head.padEnd(WIDTH - 1)} ${where}`,
    ...differences.flatMap(linesOf).map((line) => `    ${line}`),
  ];
}

const counted = (count: number, word: string) => (count === 0 ? [] : [`${count} ${word}`]);

function summary({ outcomes, unchanged, failed }: Result, isDry: boolean): string {
  const count = (...actions: Action[]) => outcomes.filter(({ action }) => actions.includes(action)).length;
  const words = isDry
    ? (["to create", "to change", "to prune"] as const)
    : (["created", "changed", "pruned"] as const);
  const parts = [
    ...counted(count("create"), words[0]),
    ...counted(count("change"), words[1]),
    ...counted(count("remove", "disable"), words[2]),
    ...counted(failed.length, isDry ? "refused" : "not applied"),
    ...counted(unchanged, "unchanged"),
  ];
  const counts = parts.join(", ");
  return outcomes.length + failed.length === 0 ? `No changes (${counts}).` : `${counts}.`;
}

/** The objects that were not applied, each on a line. */
export const failureLines = ({ failed }: Pick<Result, "failed">): string[] =>
  failed.map(({ title, place, member, message }) =>
    [
      ...(place ? [`${place.file}:${place.line}`] : []),
      title,
      ...(member === "" ? [] : [member]),
      message,
    ].join(": "),
  );

/** The changes, member by member, and advice for people. */
export function textOf(result: Result, isDry: boolean): string {
  const { outcomes, kept } = result;
  const advice = outcomes.flatMap(({ advice: text }) => (text === null ? [] : [`note: ${text}`]));
  const left = kept.map(({ title }) => title);
  return [
    ...outcomes.flatMap((outcome) => outcomeLines(outcome, isDry)),
    ...advice,
    ...(left.length === 0
      ? []
      : [
          `note: no file names ${left.join(", ")} any more; \`--prune ${left.length}\` removes or disables what an apply created`,
        ]),
    summary(result, isDry),
  ].join("\n");
}
