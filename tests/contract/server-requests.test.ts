import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { findSessionUser } from "@/server/access";
import { contextFor, sessionCookie } from "@/tests/support/console";
import { linkTo } from "@/tests/support/database-link";
import { eventually } from "@/tests/support/eventually";
import { serverEnvironment } from "@/tests/support/gateway";
import { perFile } from "@/tests/support/per-file";
import { startServer } from "@/tests/support/process";
import { connectTo } from "@/tests/support/raw-request";
import {
  documentedMetrics,
  metricOf,
  metricsIn,
  scrape,
  seriesOf,
  servedBy,
} from "@/tests/support/scraped-metrics";
import { sharedGateway } from "@/tests/support/shared-gateway";

/** For the ledger only; requests go to the built server. */
const gateway = perFile(sharedGateway);
const link = perFile(() => linkTo(gateway.databaseUrl));
const server = perFile(() => startServer({ ...serverEnvironment(link.url), WEB_CONCURRENCY: "2" }));

/** Sends a request line unchanged, which no HTTP client of ours does. */
async function ask(line: string, headers: string[] = []) {
  const { host } = new URL(server.url);
  const socket = connectTo(server.url);
  const lines = [`${line} HTTP/1.1`, `Host: ${host}`, "Connection: close", ...headers, "", ""];
  socket.write(lines.join("\r\n"));
  const [head = "", body = ""] = (await text(socket)).split("\r\n\r\n", 2);
  return { status: Number(head.split(" ", 2)[1]), head, body };
}

test("a client that takes the server for a forward proxy is served by it", async () => {
  const { secret } = await gateway.customer();
  const key = [`Authorization: Bearer ${secret}`];
  const answers = await Promise.all([
    ask(`GET ${server.url}/v1/models`, key),
    ask(`GET ${server.url.toUpperCase()}/healthz`),
    ask(`GET ${server.url}/sign-in`),
    ask(`GET ${server.url}/admin/v1/accounts`),
    ask(`GET ${server.url}?from=proxy`),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 401, 307]);
  expect(answers[0]?.body).toContain('"object":"list"');
});

test("a target that is no path is a 404", async () => {
  expect((await ask("GET *")).status).toBe(404);
});

test.each([
  "/sign-in",
  "/",
  "/nope",
  "/api/trpc/keys.list",
  "/api/auth/session",
  "/v1/models",
  "/admin/v1/accounts",
])("an unknown method is refused at %s with the allowed ones", async (path) => {
  for (const method of ["TRACE", "PROPFIND", "LINK"]) {
    const { status, head } = await ask(`${method} ${path}`);
    expect([method, status]).toEqual([method, 405]);
    expect(head).toMatch(/^allow: .*\bGET\b/im);
  }
});

const counted = async () => servedBy(await scrape(server), "models");

test("a database that hangs costs the metrics what the database has, and no count of calls", async () => {
  const { secret } = await gateway.customer();
  const list = () =>
    fetch(`${server.url}/v1/models`, { headers: { "x-api-key": secret, connection: "close" } });
  for (let index = 0; index < 12; index++) {
    expect(await (await list()).json()).toMatchObject({ object: "list" });
  }
  link.silence();
  // No scrape happened before, so this one must have all counts itself.
  const [first = 0, same] = await Promise.all([counted(), counted()]);
  expect(first).toBeGreaterThanOrEqual(12);
  expect(same).toBe(first);
  link.cut();
  link.mend();
  await eventually(async () => (await fetch(`${server.url}/readyz`)).status, 30_000).toBe(200);
  expect(await counted()).toBe(first);
});

test("a server of several processes exports the metrics of all of them, each series once", async () => {
  await eventually(() => metricOf(server, "tollgate_ledger_months_ahead"), 30_000).toBeGreaterThan(0);
  const text = await scrape(server);
  const exportedNames = metricsIn(text);
  expect(documentedMetrics().filter(({ name }) => !exportedNames.has(name))).toEqual([]);
  const series = [...text.matchAll(/^((?:tollgate|gen_ai)_\w+(?:\{.*\})?) /gm)].map(([, name]) => name);
  expect(series.filter((name, index) => series.indexOf(name) !== index)).toEqual([]);
  // The moment of one process, not the sum of two.
  const at = seriesOf(text, 'tollgate_loop_last_success_timestamp_seconds{loop="uses of keys"}') ?? 0;
  expect(Math.abs(at - Date.now() / 1000)).toBeLessThan(60);
  expect(seriesOf(text, 'tollgate_check_failed{check="connections"}')).toBe(0);
});

/** The browser of a new operator: it sends back its cookies. Returns the result of a sign-out. */
async function browser() {
  const { viewer } = await contextFor(gateway, { role: "operator" });
  const sessionId = viewer?.sessionId ?? "";
  const session = await sessionCookie(gateway, sessionId);
  const csrf = await fetch(`${server.url}/api/auth/csrf`);
  const { csrfToken } = (await csrf.json()) as { csrfToken: string };
  const cookie = [session, ...csrf.headers.getSetCookie().map((header) => header.split(";")[0])].join("; ");
  return {
    isSignedIn: async () => (await findSessionUser(gateway.runtime.db, sessionId)) !== null,
    signOut: async () => {
      const body = new URLSearchParams({ csrfToken, callbackUrl: "/sign-in", json: "true" });
      const init = { method: "POST", headers: { cookie }, body };
      const answer = await fetch(`${server.url}/api/auth/signout`, init);
      const isTaken = answer.headers
        .getSetCookie()
        .some((header) => /^next-auth\.session-token=;/.test(header));
      return { status: answer.status, isTaken };
    },
  };
}

test.each(["cut", "silence"] as const)(
  "a sign-out that the database does not take (%s) is a 503 and keeps the cookie, and the next one ends the session",
  async (how) => {
    const { isSignedIn, signOut } = await browser();
    link[how]();
    expect(await signOut()).toEqual({ status: 503, isTaken: false });
    expect(await isSignedIn()).toBe(true);
    link.mend();
    await eventually(signOut, 90_000).toEqual({ status: 200, isTaken: true });
    expect(await isSignedIn()).toBe(false);
  },
);
