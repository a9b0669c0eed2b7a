import { expect, test } from "vitest";
import { type AllowList, compileAllowList } from "@/server/access";
import { vouch } from "./forwarded-headers";

const [PEER, CLIENT] = ["127.0.0.1", "203.0.113.9"];
const proxy = compileAllowList(["127.0.0.0/8"]);

/** The headers that reach Next of a client's request through a proxy that adds these. */
function vouched(
  headers: Record<string, string>,
  trusted: AllowList | null = proxy,
  peer: string | null = PEER,
) {
  const kept = { ...headers, "x-forwarded-for": CLIENT };
  vouch(kept, peer, trusted);
  return kept;
}

const forwarded = {
  "x-forwarded-host": "elsewhere.example",
  "x-forwarded-proto": "https",
  "x-forwarded-port": "443",
};

test("a trusted proxy names the host, the scheme and the port", () => {
  expect(vouched(forwarded)).toEqual({ ...forwarded, "x-forwarded-for": CLIENT });
});

test("of several proxies the first value counts, which is from the client", () => {
  const lists = { "x-forwarded-host": "elsewhere.example, inner", "x-forwarded-proto": "https,http" };
  expect(vouched(lists)).toMatchObject({
    "x-forwarded-host": "elsewhere.example",
    "x-forwarded-proto": "https",
  });
});

test.each([
  ["no proxy is trusted", null, PEER],
  ["the peer is not a trusted proxy", compileAllowList(["192.0.2.0/24"]), PEER],
  ["the peer is unknown", proxy, null],
])("if %s, forged headers are removed", (_when, trusted, peer) => {
  expect(vouched(forwarded, trusted, peer)).toEqual({ "x-forwarded-for": peer ?? "unknown" });
});

test.each([
  ["x-forwarded-host", "a b"],
  ["x-forwarded-host", "a:99999"],
  ["x-forwarded-host", "<script>"],
  ["x-forwarded-proto", "javascript"],
  ["x-forwarded-port", "443x"],
])("a %s of %j is removed, also from a trusted proxy", (name, value) => {
  expect(vouched({ [name]: value })).toEqual({ "x-forwarded-for": CLIENT });
});
