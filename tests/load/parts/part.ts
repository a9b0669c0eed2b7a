import type { Name } from "../contenders/contenders";
import type { DatabaseMeter } from "../measures/database";
import type { World } from "../world";

export type Bench = {
  world: World;
  database: DatabaseMeter;
  isQuick: boolean;
  /** Of those that a part would measure, those that were asked for. */
  choose: (names: Name[]) => Name[];
  say: (line: string) => void;
};

type Report = { how: string; tables: string[] };

/** A part of the bench, which can be run alone. */
export type Part = (bench: Bench) => Promise<Report>;
