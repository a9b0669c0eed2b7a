import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ConfigError } from "@/server/base/config";
import { createLog } from "@/server/base/log";
import { supervise } from "@/server/process/supervisor";
import { temporaryDirectory } from "@/tests/support/temporary-directory";

const home = temporaryDirectory();

/** A process that runs `first` at its first start and `second` at its second. Later starts serve. */
const program = (first: string, second: string) => `
  const { appendFileSync, readFileSync } = require("node:fs");
  appendFileSync(process.argv[2], "x");
  const starts = readFileSync(process.argv[2]).length;
  const kill = () => process.kill(process.pid, "SIGKILL");
  const say = (kind, more) => process.send({ kind, ...more });
  const serve = () => {
    process.on("message", ({ kind }) => kind === "listen" ? say("listening") : kind === "drain" && process.exit());
    say("prepared");
  };
  [() => { ${first} }, () => { ${second} }, serve][Math.min(starts - 1, 2)]();
`;

const KILLED = "kill()";
const KILLED_LATER = 'process.on("message", kill); say("prepared")';
const FAILED = 'say("failed", { words: "no such database" }); setTimeout(() => process.exit(1), 50)';

test.each<[string, string, string, RegExp | null]>([
  ["is killed at its start", KILLED, "serve()", null],
  ["is killed twice", KILLED, KILLED, null],
  ["is killed while it begins to listen", KILLED_LATER, "serve()", null],
  ["ends without a message", "process.exit(1)", "serve()", null],
  ["gives the reason why it cannot start", FAILED, "serve()", /no such database/],
])(
  "a process that %s is started again, unless it gives a reason",
  async (name, ...[first, second, refusal]) => {
    const [path, starts] = ["cjs", "starts"].map((end) => join(home, `${name}.${end}`)) as [string, string];
    writeFileSync(path, program(first, second));
    const keeper = supervise(
      {
        ...{ name, path, args: [starts], mayOpen: async () => ({ kind: "open" }) },
        mayListen: async () => ({ kind: "listen", at: {}, hasConsole: true }),
      },
      { log: createLog("silent"), onMessage: () => {}, onEnd: () => {} },
    );
    if (refusal === null) {
      await keeper.listening;
      await keeper.stop({ patienceMs: 5_000, isHurried: true });
    } else {
      const failed = expect.objectContaining({ message: expect.stringMatching(refusal) });
      await expect(keeper.listening).rejects.toEqual(failed);
      await expect(keeper.listening).rejects.toThrow(ConfigError);
    }
  },
);
