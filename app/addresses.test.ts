import { dirname } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";
import { closureOf, nodesIn, sources } from "@/tests/support/console-sources";
import { addresses } from "./addresses";

type CompleteParameters<Parameters> = {
  [Index in keyof Parameters]: Required<NonNullable<Parameters[Index]>>;
};

const days = { from: "2026-01-01", to: "2026-01-02" };
const usage = {
  by: "key",
  range: "week",
  ...days,
  account: "acc_1",
  measure: "calls",
  view: "table",
} as const;
const calls = {
  ...{ request: "req_1", key: "key_1", model: "m", account: "acc_1", channel: "chn_1" },
  ...{ live: true as const, status: "failed" as const, from: "2026-01-01", until: "2026-01-02" },
  sort: "-cost",
};

/** Each address with all of its parameters: a new parameter does not compile without an example. */
const whole: {
  [Name in keyof typeof addresses]: CompleteParameters<Required<Parameters<(typeof addresses)[Name]>>>;
} = {
  overview: [],
  signIn: [{ notice: "passwordSet", to: "/keys" }],
  forgotPassword: [],
  changePassword: [],
  security: [{ refusal: "identityUnknown" }],
  managementKeys: [{ create: true }],
  notifications: [{ create: true }],
  people: [],
  adminReference: [],
  docs: [],
  doc: ["errors", "#internal"],
  docSearch: [],
  docFindings: [{ q: "a b" }],
  docFile: ["en", "errors"],
  openApi: [],
  keys: [{ create: true }],
  key: ["key_1"],
  usage: [usage],
  requests: [calls],
  videos: [{ task: "task_1", account: "acc_1", state: "processing" }],
  billing: [{ pay: true }],
  ownPayments: [],
  payment: ["pay_1"],
  payments: [{ account: "acc_1" }],
  statement: [{ month: "2026-01" }],
  models: [],
  playground: [{ tab: "video", model: "m" }],
  accounts: [{ status: "active", group: "pgr_1", create: true }],
  account: ["acc_1"],
  accountStatement: ["acc_1", { month: "2026-01" }],
  users: [],
  channels: [],
  newChannel: [{ byHand: true }],
  channel: ["ch_1"],
  channelModels: ["ch_1"],
  channelTest: ["ch_1"],
  routes: [{ model: "m" }],
  codes: [{ create: true }],
  codeBatch: ["bat_1"],
  prices: [],
  priceGrid: [],
  priceFile: [],
  priceGroups: [{ create: true }],
  importPrices: [],
  newPrice: [{ id: "m" }],
  price: ["vendor/m"],
  allUsage: [usage],
  margin: [{ by: "channel", range: "week", from: "2026-01-01", to: "2026-01-02" }],
  allRequests: [calls],
  allVideos: [{ task: "task_1", account: "acc_1", state: "processing" }],
  audit: [{ account: "acc_1" }],
  exported: ["statement", { period: "2026-01" }],
};

const places = Object.entries(addresses).map(([name, make]) => {
  const text = (make as (...args: unknown[]) => string)(...whole[name as keyof typeof whole]);
  return [name, new URL(text, "http://console.test")] as const;
});

/**
 * The pattern of the paths that a page serves: in `app/(console)/keys/[keyId]/page.tsx`, `[keyId]` is one segment;
 * `[...path]` is at least one.
 */
function patternOf(file: string): RegExp {
  const segments = dirname(file)
    .split("/")
    .slice(1)
    .filter((segment) => !segment.startsWith("("))
    .map((segment) => segment.replace(/^\[\.\.\..+\]$/, ".+").replace(/^\[.+\]$/, "[^/]+"));
  return new RegExp(`^/${segments.join("/")}$`);
}

const pages = [...sources.keys()].filter((path) => /(^|\/)(page|route)\.tsx?$/.test(path));
const pageAt = (path: string) => {
  const matches = pages.filter((file) => patternOf(file).test(path));
  // As in Next, a name wins over a parameter: `/channels/new` is not a channel.
  return matches.toSorted((left, right) => left.split("[").length - right.split("[").length)[0];
};

/** Query parameters that a module reads: by nuqs, or out of a page's `searchParams`. */
function readBy(path: string): string[] {
  return nodesIn(path).flatMap((node) => {
    if (ts.isCallExpression(node) && node.expression.getText() === "useQueryState") {
      const [name] = node.arguments;
      return name && ts.isStringLiteral(name) ? [name.text] : [];
    }
    if (ts.isPropertyAssignment(node) && /^parseAs\w/.test(node.initializer.getText())) {
      return [node.name.getText()];
    }
    if (ts.isVariableDeclaration(node) && node.initializer?.getText() === "await searchParams") {
      return ts.isObjectBindingPattern(node.name)
        ? node.name.elements.map((element) => (element.propertyName ?? element.name).getText())
        : [];
    }
    return [];
  });
}

const parametersOf = (page: string) => new Set([...closureOf(page)].flatMap(readBy));

test.each(places)("the address %s has its page", (_name, { pathname }) => {
  expect(pageAt(pathname), pathname).toBeDefined();
});

// A route's schema has its parameters, so routes are left out.
const withParameters = places.filter(
  ([, { pathname, search }]) => search !== "" && !pathname.startsWith("/api/"),
);

test.each(withParameters)(
  "the address %s has only parameters that its page reads",
  (_name, { pathname, searchParams }) => {
    const parameters = parametersOf(pageAt(pathname) ?? "");
    expect([...searchParams.keys()].filter((name) => !parameters.has(name))).toEqual([]);
  },
);

test("undefined parameters are left out, and identifiers are escaped", () => {
  expect(addresses.keys()).toBe("/keys");
  expect(addresses.price("vendor/m&x=1")).toBe("/prices/model?id=vendor%2Fm%26x%3D1");
  expect(addresses.account("../users?x")).toBe("/accounts/..%2Fusers%3Fx");
});

/** The beginning of each text in a module, up to the first value in it. */
const textsIn = (path: string) =>
  nodesIn(path).flatMap((node) => {
    if (ts.isStringLiteralLike(node)) {
      return [node.text];
    }
    return ts.isTemplateExpression(node) ? [node.head.text] : [];
  });

test("no other module of the console writes an address by hand", () => {
  const makers = ["app/addresses.ts", "app/sign-in/return-address.ts"];
  const written = [...sources.keys()]
    .filter((path) => !makers.includes(path) && !path.startsWith("app/v1/"))
    .flatMap((path) => textsIn(path).map((text) => ({ path, text })))
    // API calls are not places.
    .filter(({ text }) => /^\/([a-z?]|$)/.test(text) && !/^\/(v1|api)\//.test(text));
  expect(written).toEqual([]);
});
