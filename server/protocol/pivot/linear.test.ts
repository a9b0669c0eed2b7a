/** Long histories: the work is linear in their length, in every dialect of client and upstream. */
import { expect, test } from "vitest";
import { cpuTimeMs } from "@/tests/support/cpu-time";
import { callOf, planFor } from "@/tests/support/upstream-request";
import type { Dialect } from "../capabilities";
import type { JsonObject } from "../fields";

const answer = { role: "assistant", content: "a" };
const question = { role: "user", content: "b" };
const model = { role: "model", parts: [{ text: "a" }] };

/** Requests with this many consecutive turns of the assistant. */
const clients: Record<Dialect, (turns: number) => JsonObject> = {
  chat: (turns) => ({ messages: [...Array(turns).fill(answer), question] }),
  messages: (turns) => ({ messages: [...Array(turns).fill(answer), question] }),
  responses: (turns) => ({ input: [...Array(turns).fill(answer), question] }),
  gemini: (turns) => ({ contents: [...Array(turns).fill(model), { role: "user", parts: [{ text: "b" }] }] }),
};

const dialects = ["chat", "messages", "responses", "gemini"] as const;
const ways = dialects.flatMap((client) => dialects.map((dialect) => ({ client, dialect })));

const TURNS = 7_000;
const ROUNDS = 3;

test.each(ways)(
  "four times the turns take about four times the work: $client to $dialect",
  ({ client, dialect }) => {
    /** The shortest of several runs: no run is faster than its work allows. */
    const workOf = (turns: number): number => {
      const fields = clients[client](turns);
      const runs = Array.from({ length: ROUNDS }, () => {
        const began = cpuTimeMs();
        expect(planFor(callOf[client](fields), dialect).body).toContain('"b"');
        return cpuTimeMs() - began;
      });
      return Math.min(...runs);
    };
    // Quadratic work would take sixteen times as long.
    expect(workOf(4 * TURNS)).toBeLessThan(9 * workOf(TURNS) + 20);
  },
);
