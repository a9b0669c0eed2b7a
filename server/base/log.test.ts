import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { DrizzleQueryError } from "drizzle-orm";
import { expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { UpstreamFault } from "@/server/upstream";
import { GatewayError } from "./errors";
import { createLog, describeError, flatLog, OF_MONEY } from "./log";

const failedQuery = new DrizzleQueryError(
  'update "users" set "password_hash" = $1',
  ["$argon2id$v=19$hash"],
  new Error("the connection was lost"),
);

test.each([
  ["by itself", failedQuery],
  ["as another error's cause", new Error("no answer", { cause: failedQuery })],
])(
  "a failed query is logged %s with its text and the database's message, and without its parameters",
  (_, error) => {
    const logged = JSON.stringify(describeError(error));
    expect(logged).toContain("password_hash");
    expect(logged).toContain("the connection was lost");
    expect(logged).not.toContain("argon2id");
  },
);

const PLANTED = "planted-canary";
const parse = (text: string) => {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    return error;
  }
};

test.each([
  ["a body that is no JSON", parse(`${PLANTED} hello`)],
  ["a broken body with quotes in it", parse(`{"a":"b" "${PLANTED}\n${PLANTED}`)],
  ["a cause", new Error("outside", { cause: new Error("inside", { cause: parse(PLANTED) }) })],
  ["an upstream's words", new UpstreamFault("refused", `500 ${PLANTED}`)],
  ["a refusal in an upstream's words", new GatewayError("upstreamRejected", PLANTED)],
  ["an address", parse("{}") && new TypeError("Invalid URL", { cause: { input: PLANTED } })],
  ["a schema's issues", z.strictObject({}).safeParse({ [PLANTED]: 1 }).error],
  [
    "PostgreSQL's details",
    Object.assign(new Error(`invalid input: "${PLANTED}"`), { detail: PLANTED, where: PLANTED }),
  ],
  ["a thrown value that is no error", { message: PLANTED }],
  ["an error from next-auth", { error: parse(PLANTED), body: PLANTED }],
])("%s leaves no byte of its secret in the log", (_, error) => {
  expect(JSON.stringify(describeError(error))).not.toContain("planted");
});

test("any other error is logged with its message and that of its cause", () => {
  const error = new Error("it broke", { cause: new Error("of rust") });
  expect(describeError(error)).toMatchObject({ type: "Error", message: "it broke: of rust" });
});

test("a flat log writes the same lines as the log, without secrets", () => {
  const lines: string[] = [];
  const log = createLog("info", { write: (line) => void lines.push(line) });
  const line = {
    ...{ requestId: "req_1", status: 200, isEstimate: true, address: null, model: undefined },
    ...{ words: 'a "quoted" line\nand another', secret: PLANTED, password: PLANTED },
    ...{ authorization: PLANTED, err: new Error("outside", { cause: failedQuery }) },
  };
  log.error(line, "request");
  flatLog(log).error(line, "request");
  const [expected, flat] = lines.map((text) => ({ ...JSON.parse(text), time: "" }) as unknown);
  expect(flat).toEqual(expected);
  expect(lines.join("")).not.toContain("planted");
  expect(lines.join("")).not.toContain("argon2id");
});

type LoggedLine = { msg: unknown; leftOut?: number };

function linesOf(program: string): LoggedLine[] {
  const path = fileURLToPath(new URL("./log.ts", import.meta.url));
  const start = `import { createLog, flatLog } from ${JSON.stringify(path)}; const log = createLog("info");`;
  const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", `${start} ${program}`]);
  return stdout
    .toString()
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as LoggedLine);
}

const loggedBy = (program: string) => linesOf(program).map(({ msg }) => msg);

const END = `log.info("one"); flatLog(log).info({}, "two");`;

test.each([
  ["has nothing more to do", ""],
  ["gives up", "process.exit(1);"],
  ["fails", "throw new Error();"],
  ["forgets a promise", "Promise.reject(new Error());"],
])("the last lines of a process that %s are written", (_, end) => {
  expect(loggedBy(`${END} ${end}`)).toEqual(["one", "two"]);
});

test("an error, and all lines before it, are written before a process can be killed", () => {
  const kill = "process.kill(process.pid, 'SIGKILL'); while (true);";
  expect(loggedBy(`${END} log.error("three"); log.info("four"); ${kill}`)).toEqual(["one", "two", "three"]);
});

test("a repeated warning is written twenty times a minute and then counted, and every error is written", () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const lines: { msg: string; leftOut?: number }[] = [];
  const log = createLog("info", { write: (line) => void lines.push(JSON.parse(line)) });
  const count = (msg: string) => lines.filter((line) => line.msg === msg).length;
  for (let call = 0; call < 784; call++) {
    log.warn({ requestId: call }, "calls are not recorded yet");
    log.error({ requestId: call }, "a delivered call is not charged");
  }
  log.warn("another");
  expect(count("calls are not recorded yet")).toBe(20);
  expect(count("a delivered call is not charged")).toBe(784);
  expect(count("another")).toBe(1);
  vi.advanceTimersByTime(60_000);
  expect(lines.at(-1)).toMatchObject({ level: 40, msg: "calls are not recorded yet", leftOut: 764 });
  log.warn("calls are not recorded yet");
  expect(lines.at(-1)).not.toHaveProperty("leftOut");
});

test("the number of left-out warnings is written before a process exits", () => {
  const warn = `for (let i = 0; i < 25; i++) log.warn("not yet");`;
  expect(linesOf(`${warn} process.exit(1);`).at(-1)).toMatchObject({ msg: "not yet", leftOut: 5 });
  expect(linesOf(`${warn} throw new Error();`)).toHaveLength(21);
});

test("a failing channel hides no other one: each has twenty lines a minute, and all of them two hundred", () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const lines: { channelId?: string; leftOut?: number }[] = [];
  const log = createLog("info", { write: (line) => void lines.push(JSON.parse(line)) });
  for (let call = 0; call < 100; call++) {
    log.warn({ channelId: "chn_1", channel: "main", requestId: call }, "no answer");
  }
  log.warn({ channelId: "chn_2" }, "no answer");
  expect(lines.filter(({ channelId }) => channelId === "chn_2")).toHaveLength(1);
  for (let account = 0; account < 1_000; account++) {
    log.warn({ accountId: `acct_${account}` }, "no answer");
  }
  expect(lines).toHaveLength(200);
  vi.advanceTimersByTime(60_000);
  expect(lines.slice(200)).toEqual([
    expect.objectContaining({ channelId: "chn_1", channel: "main", leftOut: 80 }),
    expect.objectContaining({ leftOut: 821 }),
  ]);
  log.warn({ channelId: "chn_1" }, "no answer");
  expect(lines).toHaveLength(203);
});

test("every warning about money is written", () => {
  const lines: string[] = [];
  const log = createLog("info", { write: (line) => void lines.push(line) });
  for (let call = 0; call < 100; call++) {
    log.warn({ ...OF_MONEY, requestId: call }, "a call was charged after its money had been returned");
  }
  expect(lines).toHaveLength(100);
});
