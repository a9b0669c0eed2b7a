import { median } from "../measures/median";
import { number, table } from "../tables";
import { type Arrival, nameOf, type Path, paths, type Round } from "./translation-paths";

type Figure = (round: Round, path: Path) => number;

const spent = (round: Round, arrival: Arrival, path: Path) => round[arrival].gateway.get(nameOf(path));

const cpu =
  (arrival: Arrival): Figure =>
  (round, path) =>
    spent(round, arrival, path)?.cpu ?? Number.NaN;

/** Beyond what the path's upstream takes alone. */
const added =
  (arrival: Arrival): Figure =>
  (round, path) =>
    (spent(round, arrival, path)?.wall ?? Number.NaN) -
    (round[arrival].alone.get(path.upstream)?.wall ?? Number.NaN);

const figures: [string, Figure][] = [
  ["added time, one by one", added("paced")],
  ["CPU, one by one", cpu("paced")],
  ["added time, flood", added("flood")],
  ["CPU, flood", cpu("flood")],
];

/** A figure of each path over that of a passthrough in the same round; the median over the rounds. */
export function translationTable(rounds: Round[]): string {
  const rows = paths.flatMap((path) =>
    path.client === path.upstream
      ? []
      : [path.client, path.upstream].map((dialect) => {
          const passthrough = { client: dialect, upstream: dialect };
          const ratios = figures.map(([, figure]) =>
            median(rounds.map((round) => figure(round, path) / figure(round, passthrough))),
          );
          return [nameOf(path), `${dialect} passthrough`, ...ratios.map((ratio) => number(ratio, 2))];
        }),
  );
  return table(["translated", "÷", ...figures.map(([name]) => name)], rows);
}

/** What was measured on this machine, for the eye: microseconds an event, and their range. */
export function eventTable(rounds: Round[]): string {
  const rows = paths.map((path) => [
    nameOf(path),
    ...figures.map(([, figure]) => {
      const values = rounds.map((round) => figure(round, path));
      const range = `${number(Math.min(...values), 1)}-${number(Math.max(...values), 1)}`;
      return `${number(median(values), 1)} (${range})`;
    }),
  ]);
  const alone = paths
    .filter(({ client, upstream }) => client === upstream)
    .map(({ upstream }) => {
      const wall = (arrival: Arrival) =>
        number(median(rounds.map((round) => round[arrival].alone.get(upstream)?.wall ?? Number.NaN)), 1);
      return [`${upstream} upstream alone, not added`, wall("paced"), "", wall("flood"), ""];
    });
  return table(["µs an event", ...figures.map(([name]) => name)], [...rows, ...alone]);
}
