/** The OpenAPI 3.1 document of `/v1`, in one language; refusals are in both. */
import type { ErrorKind } from "@/server/base/errors";
import { both, type Language } from "@/server/base/language";
import {
  type DocumentedResponse,
  type Endpoint,
  EVENTS,
  type NamedSchema,
  type Parameter,
  tags,
} from "@/server/endpoints";
import { membersOf, type OpenApiSchema } from "@/server/endpoints/schema";
import { answers, bodies, operations } from "./components";
import { type Advice, refusalsOf, slugOf, statusOf } from "./errors";
import { memberText } from "./members";

const JSON_TYPE = "application/json";

const refer = ({ name }: Pick<NamedSchema, "name">) => ({ $ref: `#/components/schemas/${name}` });

const described = (schema: OpenApiSchema, name: string, language: Language): OpenApiSchema => {
  const properties = membersOf(schema).map(([member, inner]) => {
    const meaning = memberText(member, name)?.[language];
    return [member, meaning === undefined ? inner : { ...inner, description: meaning }];
  });
  return properties.length === 0 ? schema : { ...schema, properties: Object.fromEntries(properties) };
};

function parameterOf(
  { name, in: place, required = false, type = "string", values }: Parameter,
  language: Language,
) {
  const description = memberText(name)?.[language];
  return {
    name,
    in: place,
    required,
    ...(description !== undefined && { description }),
    schema: { type, ...(values && { enum: values }) },
  };
}

/** The schema of a stream is that of the `data` of one event, as in OpenAI's own document. */
function contentOf({ schema, events, types = [] }: DocumentedResponse) {
  const content = {
    ...(schema && { [JSON_TYPE]: { schema: refer(schema) } }),
    ...(events && { [EVENTS]: { schema: refer(events) } }),
    ...Object.fromEntries(types.map((type) => [type, {}])),
  };
  return Object.keys(content).length === 0 ? {} : { content };
}

const headersOf = ({ headers = [] }: DocumentedResponse, language: Language) =>
  headers.length === 0
    ? {}
    : {
        headers: Object.fromEntries(
          headers.map((name) => [
            name,
            { description: memberText(name)?.[language], schema: { type: "string" } },
          ]),
        ),
      };

const done = both("成功", "Success");

/** One answer for each status, with its possible refusals in the description and in `x-error-codes`. */
function refusalAnswers(kinds: readonly ErrorKind[]) {
  const statuses = [...new Set(kinds.map(statusOf))].toSorted((left, right) => left - right);
  return Object.fromEntries(
    statuses.map((status) => {
      const slugs = [...new Set(kinds.filter((kind) => statusOf(kind) === status).map(slugOf))];
      return [
        status,
        {
          description: slugs.join(", "),
          headers: { "x-error-code": { schema: { type: "string", enum: slugs } } },
          content: { [JSON_TYPE]: { schema: refer({ name: "Refusal" }) } },
          "x-error-codes": slugs,
        },
      ];
    }),
  );
}

function bodyOf({ json, form, isBodyOptional }: Endpoint) {
  const content = {
    ...(json && { [JSON_TYPE]: { schema: refer(json) } }),
    ...(form && { "multipart/form-data": { schema: refer(form) } }),
  };
  return json || form ? { requestBody: { required: !isBodyOptional, content } } : {};
}

function operationOf(operation: Endpoint, language: Language) {
  const { id, tag, summary, access, parameters = [], refusals } = operation;
  return {
    operationId: id,
    summary: summary[language],
    tags: [tags[tag][language]],
    ...(access === "open" && { security: [] }),
    ...(parameters.length > 0 && {
      parameters: parameters.map((parameter) => parameterOf(parameter, language)),
    }),
    ...bodyOf(operation),
    responses: {
      ...Object.fromEntries(
        operation.answers.map((answer) => [
          answer.status,
          { description: done[language], ...headersOf(answer, language), ...contentOf(answer) },
        ]),
      ),
      ...refusalAnswers(refusals),
    },
  };
}

const about = both(
  "模型网关：OpenAI、Anthropic 与 Gemini 三种格式，任何模型。所有错误都是 {code, message, data}，响应头 x-error-code 给出简短的原因。管理 API 的文档在 /admin/v1/openapi.json，说明文档在 /docs。",
  "A model gateway: any model in the formats of OpenAI, Anthropic and Gemini. Every error is {code, message, data}, and " +
    "the header x-error-code has the error code. The admin API is documented at " +
    "/admin/v1/openapi.json; the documentation is at /docs.",
);

const keyText = both("在控制台创建的 API Key：sk-…", "An API key created in the console: sk-…");

const headerKey = (name: string, language: Language) => ({
  type: "apiKey",
  in: "header",
  name,
  description: keyText[language],
});

/** `advice`: against each refusal. `version`: of the product. */
export function openApi({
  language,
  advice,
  version,
}: {
  language: Language;
  advice: Advice;
  version: string;
}) {
  const paths = [...new Set(operations.map(({ path }) => path))];
  const schemas = { ...bodies, ...answers };
  return {
    openapi: "3.1.0",
    info: { title: "Tollgate API", version, description: about[language] },
    servers: [{ url: "/" }],
    security: [{ bearer: [] }, { "x-api-key": [] }, { "api-key": [] }, { "x-goog-api-key": [] }],
    tags: Object.values(tags).map((tag) => ({ name: tag[language] })),
    paths: Object.fromEntries(
      paths.map((path) => [
        path,
        Object.fromEntries(
          operations
            .filter((operation) => operation.path === path)
            .map((operation) => [operation.method, operationOf(operation, language)]),
        ),
      ]),
    ),
    components: {
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", description: keyText[language] },
        "x-api-key": headerKey("x-api-key", language),
        "api-key": headerKey("api-key", language),
        "x-goog-api-key": headerKey("x-goog-api-key", language),
      },
      schemas: Object.fromEntries(
        Object.entries(schemas).map(([name, schema]) => [name, described(schema, name, language)]),
      ),
    },
    "x-error-codes": refusalsOf(advice),
  };
}
