/** The OpenAPI 3.1 document of the admin API, built from its routes. */

import { type JsonSchema, membersOf, wireSchema } from "@/server/base/wire-names";
import { mayAll } from "@/server/domain/roles";
import { inputSchema, outputSchema, type Route, type RouteVariant } from "./route";
import { routes } from "./routes";

type Parameter = { name: string; in: "path" | "query" | "header"; required: boolean; schema: JsonSchema };

const parameterNames = ({ path }: Route): string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);

const isForOwners = ({ ways }: Route): boolean => ways.some(({ needs }) => mayAll("owner", needs));

/** A route's input without the parameters of its path: in the query for GET, else in the body. */
function inputOf(route: Route) {
  const [way] = route.ways;
  const schema = wireSchema(inputSchema(way));
  const inPath = parameterNames(route);
  // A key of an account acts on that account only.
  const isImplied = (name: string) => name === "account_id" && isForOwners(route);
  const members = [...membersOf(schema)]
    .filter(([name]) => !inPath.includes(name))
    .map(([name, member]): [string, JsonSchema] => [
      name,
      isImplied(name)
        ? {
            ...member,
            description:
              "Account ID. Required for installation keys unless another parameter identifies the account",
          }
        : member,
    ]);
  const required = (schema.required ?? []).filter((name) => !inPath.includes(name) && !isImplied(name));
  return { inPath, members, required, schemaOf: (name: string) => membersOf(schema).get(name) ?? {} };
}

function parametersOf(route: Route): Parameter[] {
  const { inPath, members, required, schemaOf } = inputOf(route);
  const path = inPath.map(
    (name): Parameter => ({ name, in: "path", required: true, schema: schemaOf(name) }),
  );
  const query =
    route.method === "GET"
      ? members.map(
          ([name, schema]): Parameter => ({ name, in: "query", required: required.includes(name), schema }),
        )
      : [];
  const once: Parameter = {
    name: "Idempotency-Key",
    in: "header",
    required: false,
    schema: {
      type: "string",
      description: "A repeated request with the same key within 24 hours is not carried out twice",
    },
  };
  return [...path, ...query, ...(route.isKept ? [once] : [])];
}

function bodyOf(route: Route) {
  const { members, required } = inputOf(route);
  if (route.method === "GET" || members.length === 0) {
    return {};
  }
  const schema = {
    type: "object",
    properties: Object.fromEntries(members),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
  return { requestBody: { required: required.length > 0, content: { "application/json": { schema } } } };
}

const scopeOf = (route: Route): string =>
  isForOwners(route)
    ? "Requires a management key of the account or of the installation."
    : "Requires a management key of the installation.";

/** `listKeys`, `createKeys`, …: unique for each route, and the same in every version. */
const operationId = ({ method, path }: Route): string => {
  const words = path
    .replaceAll(/\{\w+\}/g, "one")
    .split(/[/-]/)
    .filter(Boolean);
  return [method.toLowerCase(), ...words].join("_");
};

function operationOf(route: Route) {
  const names = [...new Set(route.ways.map(({ answers }) => answers.name))];
  const [first = ""] = names;
  const schema = names.length > 1 ? { oneOf: names.map(reference) } : reference(first);
  return {
    operationId: operationId(route),
    summary: route.summary,
    description: scopeOf(route),
    tags: [route.path.split("/")[1] ?? ""],
    parameters: parametersOf(route),
    ...bodyOf(route),
    responses: {
      [route.status]: { description: "OK", content: { "application/json": { schema } } },
      default: { $ref: "#/components/responses/Refusal" },
    },
  };
}

const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** The schemas of an answer: the resource, or a list and its item. */
function componentsOf({ answers: { name, schema, item } }: RouteVariant): [string, JsonSchema][] {
  const whole = wireSchema(outputSchema({ answers: { schema } }));
  if (!item) {
    return [[name, whole]];
  }
  const data = { type: "array", items: reference(item.name) } as JsonSchema;
  return [
    [name, { ...whole, properties: { ...whole.properties, data } }],
    [item.name, wireSchema(outputSchema({ answers: item }))],
  ];
}

/** OpenAPI 3.1. */
export function openApi() {
  const paths = [...new Set(routes.map(({ path }) => path))];
  return {
    openapi: "3.1.0",
    info: {
      title: "Tollgate admin API",
      version: "1",
      description:
        "The functions of the console for programs. Amounts are exact decimals in the currency of the installation; " +
        "times are ISO 8601 in UTC.",
    },
    servers: [{ url: "/admin/v1" }],
    security: [{ managementKey: [] }],
    paths: Object.fromEntries(
      paths.map((path) => [
        path,
        Object.fromEntries(
          routes
            .filter((route) => route.path === path)
            .map((route) => [route.method.toLowerCase(), operationOf(route)]),
        ),
      ]),
    ),
    components: {
      securitySchemes: {
        managementKey: { type: "http", scheme: "bearer", description: "A management key: `mk-…`" },
      },
      responses: {
        Refusal: {
          description: "Error. The header `x-error-code` has the error code.",
          content: {
            "application/json": {
              schema: {
                type: "object",
                properties: {
                  code: { type: "integer", description: "The HTTP status" },
                  message: { type: "string" },
                  data: { type: "null" },
                },
                required: ["code", "message", "data"],
              },
            },
          },
        },
      },
      schemas: Object.fromEntries(routes.flatMap(({ ways }) => ways).flatMap(componentsOf)),
    },
  };
}
