import { DrizzleQueryError } from "drizzle-orm";
import { expect, test } from "vitest";
import { z } from "zod";
import { UpstreamFault } from "@/server/upstream";
import { GatewayError } from "./errors";
import { createLog, describeError, flatLog } from "./log";

const failedQuery = new DrizzleQueryError(
  'update "users" set "password_hash" = $1',
  ["$argon2id$v=19$hash"],
  new Error("the connection was lost"),
);

test.each([
  ["by itself", failedQuery],
  ["as another error's cause", new Error("no answer", { cause: failedQuery })],
])(
  "a failed query is logged %s with its text and the database's words, and without its parameters",
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
  ["one with quotes in it", parse(`{"a":"b" "${PLANTED}\n${PLANTED}`)],
  ["a cause", new Error("outside", { cause: new Error("inside", { cause: parse(PLANTED) }) })],
  ["an upstream's words", new UpstreamFault("refused", `500 ${PLANTED}`)],
  ["a refusal in an upstream's words", new GatewayError("upstreamRejected", PLANTED)],
  ["an address", parse("{}") && new TypeError("Invalid URL", { cause: { input: PLANTED } })],
  ["a schema's issues", z.strictObject({}).safeParse({ [PLANTED]: 1 }).error],
  [
    "PostgreSQL's details",
    Object.assign(new Error(`invalid input: "${PLANTED}"`), { detail: PLANTED, where: PLANTED }),
  ],
  ["what is thrown and no error", { message: PLANTED }],
  ["what next-auth passes", { error: parse(PLANTED), body: PLANTED }],
])("%s leaves no byte of it in a log", (_, error) => {
  expect(JSON.stringify(describeError(error))).not.toContain("planted");
});

test("any other error is logged with its words and its cause's", () => {
  const error = new Error("it broke", { cause: new Error("of rust") });
  expect(describeError(error)).toMatchObject({ type: "Error", message: "it broke: of rust" });
});

test("a flat line is the line that the log itself writes, without secrets", () => {
  const lines: string[] = [];
  const log = createLog("info", { write: (line) => void lines.push(line) });
  const line = {
    requestId: "req_1",
    status: 200,
    isEstimate: true,
    address: null,
    model: undefined,
    words: 'a "quoted" line\nand another',
    secret: PLANTED,
    password: PLANTED,
    authorization: PLANTED,
    err: new Error("outside", { cause: failedQuery }),
  };
  log.error(line, "request");
  flatLog(log).error(line, "request");
  const [expected, flat] = lines.map((text) => ({ ...JSON.parse(text), time: "" }) as unknown);
  expect(flat).toEqual(expected);
  expect(lines.join("")).not.toContain("planted");
  expect(lines.join("")).not.toContain("argon2id");
});
