/** The operations of the reference, and their bodies and answers by name. */
import { type Endpoint, endpoints, Model, type NamedSchema } from "@/server/endpoints";
import { anything, integer, type OpenApiSchema, object, printed, text } from "@/server/endpoints/schema";

export const operations = endpoints.filter(({ isHidden }) => !isHidden);

const isPrinted = (schema: NamedSchema["schema"]): schema is OpenApiSchema => !("_zod" in schema);

/** As JSON Schema, with the members that nothing validates. */
function schemaOf({ schema, passed = [] }: NamedSchema): OpenApiSchema {
  const full = isPrinted(schema) ? schema : printed(schema);
  const own = full.properties as Record<string, OpenApiSchema>;
  return passed.length === 0
    ? full
    : {
        ...full,
        properties: {
          ...own,
          ...Object.fromEntries(passed.filter((name) => !(name in own)).map((name) => [name, anything])),
        },
      };
}

const byName = (
  schemasOf: (endpoint: Endpoint) => (NamedSchema | undefined)[],
): Record<string, OpenApiSchema> =>
  Object.fromEntries(
    operations.flatMap(schemasOf).flatMap((named) => (named ? [[named.name, schemaOf(named)]] : [])),
  );

/** Request bodies: the schemas that validate, and for forms the fields that their readers use. */
export const bodies = byName(({ json, form }) => [json, form]);

/** Answers, and the events of streams. Objects may have more members than are listed. */
export const answers: Record<string, OpenApiSchema> = {
  Refusal: object({ code: integer, message: text, data: { type: "null" } }),
  Model,
  ...byName((endpoint) => endpoint.answers.flatMap(({ schema, events }) => [schema, events])),
};
