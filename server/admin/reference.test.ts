import { describe, expect, test } from "vitest";
import { headingsIn, read } from "@/app/docs/headings";
import { type JsonSchema, membersOf, wireSchema } from "@/server/base/wire-names";
import { openApi } from "./openapi";
import { adminReference } from "./reference";
import { inputSchema } from "./route";
import { routes } from "./routes";

const text = adminReference();
const { components } = openApi();

const sections = new Map(
  text
    .split(/^### /m)
    .slice(1)
    .map((section) => [section.slice(0, section.indexOf("\n")), section]),
);

describe("the reference of the admin API", () => {
  test("has each route with its summary, its parameters and the members of its body", () => {
    const missing = routes.flatMap(({ method, path, summary, ways: [way] }) => {
      const name = `${method} /admin/v1${path}`;
      const section = sections.get(name) ?? "";
      const parts = [
        `${summary}. `,
        ...[...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => `| \`${parameter}\` (required) |`),
        ...[...membersOf(wireSchema(inputSchema(way))).keys()].map((member) => `| \`${member}\``),
      ];
      return parts.filter((part) => !section.includes(part)).map((part) => `${name}: ${part}`);
    });
    expect(missing).toEqual([]);
  });

  test("has each resource with its members", () => {
    const missing = Object.entries(components.schemas).flatMap(([name, schema]: [string, JsonSchema]) =>
      [...membersOf(schema).keys()]
        .filter((member) => !sections.get(name)?.includes(`| \`${member}\` |`))
        .map((member) => `${name}.${member}`),
    );
    expect(missing).toEqual([]);
  });

  test("has the type, the bounds and the necessity of each member", () => {
    expect(sections.get("POST /admin/v1/accounts")).toContain(
      "| `name` (required) | string | at most 100 characters |",
    );
    expect(sections.get("GET /admin/v1/accounts")).toContain('| `status` | `"active"`, `"disabled"` |  |');
    expect(sections.get("POST /admin/v1/accounts")).toContain("Returns 201: [NewAccount](#newaccount).");
  });

  test("links only to existing sections", () => {
    const places = headingsIn(read(text), 6).map(({ id }) => `#${id}`);
    const links = [...text.matchAll(/\]\((#[^)]+)\)/g)].map(([, href = ""]) => href);
    expect(links.length).toBeGreaterThan(0);
    expect(links.filter((href) => !places.includes(href))).toEqual([]);
  });
});
