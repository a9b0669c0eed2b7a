import type { ContenderName } from "../contenders/contenders";
import type { DatabaseMeter } from "../measures/database";
import type { World } from "../world";

export type Bench = {
  world: World;
  database: DatabaseMeter;
  isQuick: boolean;
  /** Those of a part's contenders that the user has chosen. */
  choose: (names: ContenderName[]) => ContenderName[];
  say: (line: string) => void;
};

type Report = { how: string; tables: string[] };

/** A part of the bench, which can run alone. */
export type BenchPart = (bench: Bench) => Promise<Report>;
