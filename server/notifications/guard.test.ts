import { createServer } from "node:http";
import { request } from "undici";
import { expect, test } from "vitest";
import { listen } from "@/tests/support/listen";
import { createWebhookAgent, isPublic, refuseUrl } from "./guard";

test.each([
  ...["0.0.0.0", "10.1.2.3", "100.64.0.1", "127.0.0.1", "169.254.169.254", "172.31.0.1", "192.168.1.1"],
  ...["198.18.0.1", "224.0.0.1", "255.255.255.255", "::", "::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1"],
  ...[
    "2002:7f00:1::",
    "fc00::1",
    "fe80::1",
    "ff02::1",
    "::127.0.0.1",
    "::ffff:0:10.0.0.1",
    "not an address",
    "",
  ],
])("%s is not a public address", (address) => {
  expect(isPublic(address)).toBe(false);
});

test.each(["1.1.1.1", "8.8.8.8", "172.32.0.1", "2606:4700:4700::1111"])(
  "%s is a public address",
  (address) => {
    expect(isPublic(address)).toBe(true);
  },
);

test.each([
  ...[
    "http://example.com/",
    "ftp://example.com/",
    "https://user:secret@example.com/",
    "https://example.com/#a",
  ],
  ...["nonsense", "https://127.0.0.1/", "https://[::1]/"],
  ...["https://2130706433/", "https://0x7f.1/", "https://[::ffff:127.0.0.1]/"],
])("%s is refused as a webhook's address", (url) => {
  expect(() => refuseUrl(url, false)).toThrow();
});

test("a public https URL is accepted, and a private http URL only if private ones are allowed", () => {
  expect(() => refuseUrl("https://hooks.example.com/events?from=us", false)).not.toThrow();
  expect(() => refuseUrl("http://127.0.0.1:8080/", true)).not.toThrow();
});

test("a host name of this machine is not connected to, unless that is allowed", async () => {
  let connections = 0;
  const server = createServer((_, outgoing) => void outgoing.end("received")).on(
    "connection",
    () => connections++,
  );
  const url = `http://localhost:${await listen(server)}/`;
  const [strict, open] = [createWebhookAgent(false), createWebhookAgent(true)];
  await expect(request(url, { dispatcher: strict })).rejects.toThrow("the address is private");
  expect(connections).toBe(0);
  expect((await request(url, { dispatcher: open })).statusCode).toBe(200);
  await Promise.all([strict.destroy(), open.destroy()]);
  server.close();
});
