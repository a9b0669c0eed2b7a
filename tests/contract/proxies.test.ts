import { request } from "node:http";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startGateway, type TestGateway } from "../support/gateway";
import { connectTo } from "../support/raw-request";

let gateway: TestGateway;

/** One after the other: of those in a process the last one answers. */
function withGateway(env: Record<string, string>) {
  beforeAll(async () => {
    gateway = await startGateway({ env });
  });
  afterAll(() => gateway.close());
}

type Headers = Record<string, string>;

/** `fetch` writes its own `host`. */
async function send(url: string, headers: Headers, body?: string): Promise<number> {
  const asked = request(url, { method: body === undefined ? "GET" : "POST", headers });
  asked.end(body);
  return await new Promise((resolve, reject) => {
    asked.on("error", reject);
    asked.on("response", (response) => text(response).then(() => resolve(response.statusCode ?? 0), reject));
  });
}

/** What each puts on a request of `client`, which said `said` about itself. */
const behind =
  (added: (client: string) => Headers, { port = "", separator = ", " } = {}) =>
  (client: string, said?: string): Headers => ({
    "x-forwarded-for": [said, client + port].filter(Boolean).join(separator),
    ...added(client),
  });
const secure = { "x-forwarded-proto": "https" };
const traced = { "x-amzn-trace-id": "Root=1-67891233-abcdef012345678912345678" };
const proxies = {
  nginx: behind((client) => ({ "x-real-ip": client, ...secure })),
  Caddy: behind(() => ({ "x-forwarded-host": "gateway.example", ...secure, via: "1.1 Caddy" })),
  "Azure's application gateway": behind(
    () => ({
      ...{ "x-forwarded-port": "443", "x-original-host": "gateway.example" },
      "x-appgw-trace-id": "0a1b2c",
    }),
    { port: ":50123" },
  ),
  Cloudflare: behind(
    (client) => ({
      ...{ "cf-connecting-ip": client, "cf-ray": "8f0a1b2c3d4e5f60-FRA" },
      ...{ "cf-visitor": '{"scheme":"https"}', "cdn-loop": "cloudflare; loops=1" },
    }),
    { separator: "," },
  ),
  "AWS's load balancer": behind(() => ({ "x-forwarded-port": "443", ...traced })),
  "AWS's load balancer with ports": behind(() => ({ "x-amz-cf-id": "abc==" }), { port: ":4711" }),
};

const CLIENT = "203.0.113.9";
const STRANGER = "198.51.100.7";

/** 404 for whoever is let in, as the model does not exist; 403 for all others. */
async function call(headers: Headers, allowedIps: string[]): Promise<number> {
  const { secret } = await gateway.customer({ allowedIps });
  const body = '{"model":"none","messages":[{"role":"user","content":"hi"}]}';
  const own = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
  return await send(`${gateway.url}/v1/chat/completions`, { ...own, ...headers }, body);
}

describe("an address rule holds behind a proxy, and fails closed", () => {
  withGateway({ TRUSTED_PROXIES: "127.0.0.0/8, ::1" });

  test.each(Object.entries(proxies))("%s", async (_name, headersOf) => {
    const statusOf = (headers: Headers) => call(headers, [`${CLIENT}/32`]);
    expect(await statusOf(headersOf(CLIENT))).toBe(404);
    expect(await statusOf(headersOf(STRANGER))).toBe(403);
    expect(await statusOf(headersOf(STRANGER, CLIENT))).toBe(403);
    expect(await statusOf(headersOf(CLIENT, STRANGER))).toBe(404);
  });

  test("which says nothing, or nothing that is an address, is nobody's", async () => {
    for (const headers of [{}, { "x-forwarded-for": "unknown" }, { "x-forwarded-for": "1.2.3.4.5:80" }]) {
      expect(await call(headers as Headers, ["127.0.0.0/8", CLIENT])).toBe(403);
    }
  });
});

describe("where no proxy is trusted", () => {
  withGateway({});

  test.each(Object.entries(proxies))("%s is not believed", async (_name, headersOf) => {
    expect(await call(headersOf(CLIENT), [`${CLIENT}/32`])).toBe(403);
    expect(await call(headersOf(CLIENT), ["127.0.0.1/32"])).toBe(404);
  });
});

describe("/metrics without a token is for this machine alone", () => {
  withGateway({});

  const statusOf = (headers: Headers) => send(`${gateway.url}/metrics`, headers);

  test("which may read it", async () => {
    expect(await statusOf({})).toBe(200);
  });

  test.each(Object.entries(proxies))("and not for who comes through %s", async (_name, headersOf) => {
    const all = { ...headersOf(CLIENT), "x-azure-clientip": CLIENT, "true-client-ip": CLIENT };
    for (const [name, value] of Object.entries(all)) {
      expect([name, await statusOf({ [name]: value })]).toEqual([name, 403]);
    }
  });

  test("nor for a request to another name, which a proxy passes on that adds nothing", async () => {
    expect(await statusOf({ host: "gateway.example" })).toBe(403);
    expect(await statusOf({ host: "127.0.0.1.gateway.example" })).toBe(403);
  });

  test("nor in HTTP/1.0, in which nginx asks that has been told nothing: by our name, and without a word of its own", async () => {
    const { host } = new URL(gateway.url);
    const statusIn = async (version: string) => {
      const socket = connectTo(gateway.url);
      socket.write(`GET /metrics HTTP/${version}\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
      return Number((await text(socket)).split(" ", 2)[1]);
    };
    expect([await statusIn("1.1"), await statusIn("1.0")]).toEqual([200, 403]);
  });
});
