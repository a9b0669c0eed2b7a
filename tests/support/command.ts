import { expect } from "vitest";
import { run as runCommand } from "@/server/cli/run";
import { serverEnvironment } from "./gateway";

type DoctorResult = { check: string; ok: boolean; detail: string };
export type CommandResult = { code: number; out: string; err: string };

/**
 * The operator's commands on a gateway's database, in this process: starting a process for each takes longer than the
 * command.
 */
export function commandsOn(
  databaseUrl: () => string,
  more: Record<string, string> = {},
  onInterrupt?: (stop: () => void) => void,
) {
  async function run(...words: string[]): Promise<CommandResult> {
    const [out, err]: [string[], string[]] = [[], []];
    const code = await runCommand(words, {
      env: { ...serverEnvironment(databaseUrl()), ...more },
      stdout: { write: (text) => out.push(text) },
      stderr: { write: (text) => err.push(text) },
      ...(onInterrupt && { onInterrupt }),
    });
    return { code, out: out.join(""), err: err.join("") };
  }

  /** Runs a command that must succeed. Returns its output. */
  async function json<T = Record<string, unknown>>(...words: string[]): Promise<T> {
    const { code, out, err } = await run(...words, "--json");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    return JSON.parse(out) as T;
  }

  /** The doctor's result of one check, whatever the other checks find. */
  async function doctorOn(check: string): Promise<DoctorResult | undefined> {
    const { out } = await run("doctor", "--json");
    return (JSON.parse(out) as DoctorResult[]).find((each) => each.check === check);
  }

  return { run, json, doctorOn };
}
