import { once } from "node:events";
import { until } from "@/tests/support/until";
import type { EmbeddedGateway } from "../embedded-gateway";
import { childrenOf, familyOf, isRunning, killHard, programOf } from "../process-tree";
import type { Strike, Victim } from "./plan";

/** A process that dies repeatedly is replaced after half a minute; then it must start. */
const REPLACED_WITHIN_MS = 60_000;

/** Kills processes of a gateway, and restarts those that no supervisor restarts. */
export function strikesOn(gateway: EmbeddedGateway) {
  /** All processes that ever ran, of which none may be left at the end. */
  const allPids = new Set<number>();

  const family = () => {
    const all = familyOf(gateway.server()).filter(({ pid }) => isRunning(pid));
    for (const { pid } of all) {
      allPids.add(pid);
    }
    return all;
  };
  /** Returns one of the found processes, as soon as there is one. */
  const oneOf = async (find: () => number[], pick: number): Promise<number> => {
    let pids: number[] = [];
    await until(() => {
      pids = find();
      return pids.length > 0;
    }, REPLACED_WITHIN_MS);
    return pids[pick % pids.length] ?? 0;
  };
  const pidsOf = (name: RegExp) => () =>
    family().flatMap((member) => (name.test(member.name) ? member.pid : []));
  const postmasters = () => [gateway.postmasterPid()].filter(isRunning);
  // PostgreSQL 18.4 stays in recovery for ever if its startup process is killed in its first moments.
  const backends = () =>
    postmasters()
      .flatMap(childrenOf)
      .filter((pid) => !/^postgres: startup/.test(programOf(pid)));

  const strikes: Record<Victim, (pick: number) => Promise<void>> = {
    gateway: async (pick) => killHard(await oneOf(pidsOf(/^gateway-/), pick)),
    console: async (pick) => killHard(await oneOf(pidsOf(/^console$/), pick)),
    postmaster: async (pick) => killHard(await oneOf(postmasters, pick)),
    backend: async (pick) => killHard(await oneOf(backends, pick)),
    parent: async () => {
      const { child } = gateway.server();
      const exited = once(child, "exit");
      family();
      child.kill("SIGKILL");
      await exited;
      await gateway.start();
    },
    server: async () => {
      await gateway.killServer();
      await gateway.start();
    },
    everything: async () => {
      await Promise.all([gateway.killDatabase(), gateway.killServer()]);
      await gateway.start();
    },
  };
  return {
    /** Returns after the kill, and, if a server must be started by hand, when the next one serves. */
    strike: ({ victim, pick }: Strike): Promise<void> => strikes[victim](pick),
    /** Processes of earlier servers that still run. */
    orphans: (): number[] => {
      const own = family().map(({ pid }) => pid);
      return [...allPids].filter((pid) => !own.includes(pid) && isRunning(pid));
    },
  };
}
