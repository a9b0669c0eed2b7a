import { type Contender, type ContenderName, startField, titles } from "../contenders/contenders";
import { median } from "../measures/median";
import { turnsOf } from "../measures/turns";
import { number, table } from "../tables";
import { openConsole, type Visit, visitPages } from "../workloads/console-pages";
import { type HeldStreams, holdStreams } from "../workloads/open-streams";
import type { BenchPart } from "./part";

const STREAMS = 30;
const PAGES_PER_SECOND = 3;
const SETTLE_MS = 1_000;
const WARM_UP_MS = 5_000;

type ConsolePlan = { rounds: number; windowMs: number };
const quick: ConsolePlan = { rounds: 3, windowMs: 5_000 };
const full: ConsolePlan = { rounds: 7, windowMs: 15_000 };

type VisitKind = "without" | "with";
type Rounds = Record<VisitKind, HeldStreams[]>;

async function measure({ target }: Contender, visit: Visit, plan: ConsolePlan): Promise<Rounds> {
  const rounds: Rounds = { without: [], with: [] };
  const kinds = ["without", "with"] as const;
  await visitPages(visit, { perSecond: PAGES_PER_SECOND, durationMs: WARM_UP_MS });
  for (let round = 0; round < plan.rounds; round++) {
    for (const kind of turnsOf([...kinds], round)) {
      const looking = { perSecond: PAGES_PER_SECOND, durationMs: SETTLE_MS + plan.windowMs };
      const during = kind === "with" ? () => visitPages(visit, looking) : undefined;
      const open = { streams: STREAMS, settleMs: SETTLE_MS, windowMs: plan.windowMs };
      rounds[kind].push(await holdStreams(target, open, during));
    }
  }
  return rounds;
}

function rowOf(name: ContenderName, { without, with: beside }: Rounds): string[] {
  const medianOf = (opened: HeldStreams[], figure: "gap" | "age") =>
    number(median(opened.map((streams) => streams[figure].p99)), 1);
  const ratio = (figure: "gap" | "age") =>
    number(
      median(
        beside.map((streams, round) => streams[figure].p99 / (without[round]?.[figure].p99 ?? Number.NaN)),
      ),
      2,
    );
  const figures = (["gap", "age"] as const).flatMap((figure) => [
    medianOf(without, figure),
    medianOf(beside, figure),
    ratio(figure),
  ]);
  return [titles[name], ...figures];
}

const usual: ContenderName[] = ["tollgate", "tollgate-2"];

/** Measures whether streams are later while a user looks at the console. */
export const consolePages: BenchPart = async ({ world, isQuick, choose, say }) => {
  const plan = isQuick ? quick : full;
  const user = await world.addOwner();
  const field = await startField(world, choose(usual), say);
  const rows: string[][] = [];
  for (const contender of field.contenders) {
    say(titles[contender.name]);
    const visit = await openConsole(contender.server.url, user);
    rows.push(rowOf(contender.name, await measure(contender, visit, plan)));
  }
  const head = ["server", "gap p99 ms", "with pages", "÷ without", "age p99 ms", "with pages", "÷ without"];
  return {
    how: `${STREAMS} streams, ${PAGES_PER_SECOND} pages a second; medians of ${plan.rounds} interleaved rounds of ${plan.windowMs / 1_000} s.`,
    tables: [table(head, rows)],
  };
};
