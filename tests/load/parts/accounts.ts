import { type Contender, type Name, startField, titles } from "../contenders/contenders";
import { median } from "../measures/median";
import { turnsOf } from "../measures/turns";
import { number, table } from "../tables";
import { loadJson } from "../workloads/load";
import type { Part } from "./part";

const CONNECTIONS = 128;
const COLD_ACCOUNTS = 1_000;

type Plan = { rounds: number; runMs: number };
const quick: Plan = { rounds: 3, runMs: 3_000 };
const full: Plan = { rounds: 7, runMs: 10_000 };

/** Whose calls they are: all one account's, or a thousand accounts' in turn. */
type Crowd = "hot" | "cold";
type Rates = Record<Crowd, number[]>;

async function measure({ target }: Contender, secrets: Record<Crowd, string[]>, plan: Plan): Promise<Rates> {
  const rates: Rates = { hot: [], cold: [] };
  const crowds = ["hot", "cold"] as const;
  for (const crowd of crowds) {
    // Every key is known, and every account has a row of the month.
    await loadJson(
      { ...target, secrets: secrets[crowd] },
      { connections: CONNECTIONS, amount: COLD_ACCOUNTS * 2 },
    );
  }
  for (let round = 0; round < plan.rounds; round++) {
    for (const crowd of turnsOf([...crowds], round)) {
      const load = { connections: CONNECTIONS, durationMs: plan.runMs };
      rates[crowd].push((await loadJson({ ...target, secrets: secrets[crowd] }, load)).perSecond);
    }
  }
  return rates;
}

const usual: Name[] = ["tollgate", "tollgate-2"];

/** All calls of one account against calls of a thousand accounts. */
export const accounts: Part = async ({ world, isQuick, choose, say }) => {
  const plan = isQuick ? quick : full;
  say(`Making ${COLD_ACCOUNTS} accounts`);
  const secrets = { hot: [world.secret], cold: await world.addCustomers(COLD_ACCOUNTS) };
  const field = await startField(world, choose(usual), say);
  try {
    const rows: string[][] = [];
    for (const contender of field.contenders) {
      say(titles[contender.name]);
      const { hot, cold } = await measure(contender, secrets, plan);
      const ratio = median(hot.map((rate, round) => rate / (cold[round] ?? Number.NaN)));
      rows.push([titles[contender.name], number(median(hot), 0), number(median(cold), 0), number(ratio, 2)]);
    }
    return {
      how: `${CONNECTIONS} connections; medians of ${plan.rounds} interleaved rounds of ${plan.runMs / 1_000} s.`,
      tables: [table(["server", "one account, calls/s", "a thousand, calls/s", "hot ÷ cold"], rows)],
    };
  } finally {
    await field.stop();
  }
};
