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
/** The kernel divides a thread's time into its own and the program's by its clock's ticks, of 4 ms. */
const MEASURABLE_MS = 60;

test.each(ways)(
  "four times the turns take about four times the work: $client to $dialect",
  ({ client, dialect }) => {
    /** The mean of as many runs as the processor's time can be measured for. */
    const workOf = (turns: number): number => {
      const fields = clients[client](turns);
      const began = cpuTimeMs();
      for (let runs = 1; ; runs++) {
        expect(planFor(callOf[client](fields), dialect).body).toContain('"b"');
        const work = cpuTimeMs() - began;
        if (work >= MEASURABLE_MS) {
          return work / runs;
        }
      }
    };
    // The first run also compiles the code.
    workOf(TURNS);
    // Quadratic work would take sixteen times as long.
    expect(workOf(4 * TURNS)).toBeLessThan(9 * workOf(TURNS) + 20);
  },
);
