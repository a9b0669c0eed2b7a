import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { perFile } from "@/tests/support/per-file";
import { connectTo } from "@/tests/support/raw-request";
import { sharedGateway } from "@/tests/support/shared-gateway";

const gateway = perFile(sharedGateway);

type Headers = Record<string, string>;

/** Uses `request`, because `fetch` writes its own `host`. */
async function statusOf(headers: Headers): Promise<number> {
  const clientRequest = request(`${gateway.url}/metrics`, { headers }).end();
  const [answer] = (await once(clientRequest, "response")) as [IncomingMessage];
  answer.resume();
  return answer.statusCode ?? 0;
}

const CLIENT = "203.0.113.9";
/** The headers that each proxy adds; one of them is enough. */
const proxies: Record<string, Headers> = {
  nginx: { "x-forwarded-for": CLIENT, "x-real-ip": CLIENT, "x-forwarded-proto": "https" },
  Caddy: { "x-forwarded-host": "gateway.example", via: "1.1 Caddy" },
  "Azure's application gateway": {
    "x-forwarded-for": `${CLIENT}:50123`,
    "x-forwarded-port": "443",
    "x-original-host": "gateway.example",
    "x-appgw-trace-id": "0a1b2c",
    "x-azure-clientip": CLIENT,
  },
  Cloudflare: {
    "cf-connecting-ip": CLIENT,
    "true-client-ip": CLIENT,
    "cf-ray": "8f0a1b2c3d4e5f60-FRA",
    "cf-visitor": '{"scheme":"https"}',
    "cdn-loop": "cloudflare; loops=1",
  },
  "AWS's load balancer": {
    "x-amzn-trace-id": "Root=1-67891233-abcdef012345678912345678",
    "x-amz-cf-id": "abc==",
  },
};

describe("/metrics without a token", () => {
  test("can be read on this machine", async () => {
    expect(await statusOf({})).toBe(200);
  });

  test.each(Object.entries(proxies))("is refused to a client behind %s", async (_name, headers) => {
    for (const [name, value] of Object.entries(headers)) {
      expect([name, await statusOf({ [name]: value })]).toEqual([name, 403]);
    }
  });

  test("is refused for another host name, which a proxy without headers of its own passes on", async () => {
    expect(await statusOf({ host: "gateway.example" })).toBe(403);
    expect(await statusOf({ host: "127.0.0.1.gateway.example" })).toBe(403);
  });

  test("is refused in HTTP/1.0, which an unconfigured nginx speaks with our host name and no header of its own", async () => {
    const { host } = new URL(gateway.url);
    const statusIn = async (version: string) => {
      const socket = connectTo(gateway.url);
      socket.write(`GET /metrics HTTP/${version}\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
      return Number((await text(socket)).split(" ", 2)[1]);
    };
    expect([await statusIn("1.1"), await statusIn("1.0")]).toEqual([200, 403]);
  });
});
