/** The page `/docs/admin-api-reference`, built from the OpenAPI document. */
import { type JsonSchema, membersOf } from "@/server/base/wire-names";
import { openApi } from "./openapi";

type Document = ReturnType<typeof openApi>;
type OpenApiOperation = Document["paths"][string][string];

const code = (text: unknown) => `\`${String(text)}\``;

const linkTo = (pointer: string): string => {
  const name = pointer.split("/").at(-1) ?? "";
  return `[${name}](#${name.toLowerCase()})`;
};

/** Describes a type in a few words. */
function typeOf(schema: JsonSchema): string {
  const alternatives = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])] as JsonSchema[];
  if (alternatives.length > 0) {
    return [...new Set(alternatives.map(typeOf))].join(" or ");
  }
  if (schema.$ref !== undefined) {
    return linkTo(schema.$ref);
  }
  if (schema.enum) {
    return schema.enum.map((value) => code(JSON.stringify(value))).join(", ");
  }
  if (schema.const !== undefined) {
    return code(JSON.stringify(schema.const));
  }
  if (schema.type === "array") {
    return `list of ${typeOf((schema.items ?? {}) as JsonSchema)}`;
  }
  return [schema.type ?? "any"].flat().join(" or ");
}

const bounds = (schema: JsonSchema): string =>
  [
    schema.format === "date-time" ? "ISO 8601" : "",
    schema.maxLength === undefined ? "" : `at most ${schema.maxLength} characters`,
    schema.minimum === undefined ? "" : `from ${schema.minimum}`,
    schema.maximum === undefined ? "" : `to ${schema.maximum}`,
  ]
    .filter(Boolean)
    .join(", ");

const cell = (text: string) => text.replaceAll("|", "\\|").replaceAll("\n", " ");

function row(name: string, schema: JsonSchema, isRequired: boolean): string {
  const notes = [schema.description, bounds(schema)].filter(Boolean).join("; ");
  return `| ${code(name)}${isRequired ? " (required)" : ""} | ${cell(typeOf(schema))} | ${cell(notes)} |`;
}

function tableOf(head: string, rows: string[]): string[] {
  return rows.length === 0 ? [] : ["", `| ${head} | | |`, "| --- | --- | --- |", ...rows];
}

function section(path: string, method: string, operation: OpenApiOperation): string[] {
  const body =
    "requestBody" in operation ? operation.requestBody?.content["application/json"].schema : undefined;
  const required = body?.required ?? [];
  const answer = Object.entries(operation.responses).find(([status]) => status !== "default");
  const schema: JsonSchema =
    answer && "content" in answer[1] ? answer[1].content["application/json"].schema : {};
  return [
    "",
    `### ${method.toUpperCase()} ${path}`,
    "",
    `${operation.summary}. ${operation.description} Returns ${answer?.[0]}: ${typeOf(schema)}.`,
    ...tableOf(
      "Parameter",
      operation.parameters.map((parameter) => row(parameter.name, parameter.schema, parameter.required)),
    ),
    ...tableOf(
      "Body",
      Object.entries(body?.properties ?? {}).flatMap(([name, member]) => [
        row(name, member, required.includes(name)),
        ...memberRows((member.items ?? member) as JsonSchema, `${name}${member.items ? "[]" : ""}.`),
      ]),
    ),
  ];
}

/** A row for each member of an object, followed by rows for the members of its value. */
function memberRows(schema: JsonSchema, prefix = ""): string[] {
  return [...membersOf(schema)].flatMap(([name, member]) => {
    const list = [member, ...((member.anyOf ?? []) as JsonSchema[])].find(({ type }) => type === "array");
    const inner = list ? ((list.items ?? {}) as JsonSchema) : member;
    return [
      row(`${prefix}${name}`, member, false),
      ...memberRows(inner, `${prefix}${name}${list ? "[]" : ""}.`),
    ];
  });
}

const component = ([name, schema]: [string, JsonSchema]): string[] => [
  "",
  `### ${name}`,
  ...tableOf("Member", memberRows(schema)),
];

/** Built at the first request for it. */
let page: string | undefined;

/** Returns the page as Markdown. */
export function adminReference(): string {
  page ??= pageOf(openApi());
  return page;
}

function pageOf(document: Document): string {
  const lines = [
    "# Admin API reference",
    "",
    "Every endpoint of the [admin API](admin-api.md) with its parameters, body and response. The server generates this",
    "page from its own schemas. The same content is available as OpenAPI at `GET /admin/v1/openapi.json` (no key needed).",
    "",
    "## Endpoints",
    ...Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, operation]) =>
        section(`/admin/v1${path}`, method, operation),
      ),
    ),
    "",
    "## Resources",
    ...Object.entries(document.components.schemas).flatMap(component),
  ];
  return `${lines.join("\n")}\n`;
}
