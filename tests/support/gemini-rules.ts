import { createHmac } from "node:crypto";
import { z } from "zod";
import type { UpstreamHandler } from "./upstream";

type GeminiVendorRequest = Parameters<UpstreamHandler>[0];

/** The vendor recognises its own thinking by this signature. */
export const signThought = (thinking: string) =>
  createHmac("sha256", "vendor").update(thinking).digest("base64");
/** The value that Google accepts in place of a lost signature. */
const NO_SIGNATURE = "skip_thought_signature_validator";

const Name = z.string().regex(/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/);
const Args = z.record(z.string(), z.unknown());
const Blob = z.strictObject({ mimeType: z.string().min(1), data: z.base64().min(1) });
const Part = z
  .strictObject({
    text: z.string().optional(),
    thought: z.boolean().optional(),
    thoughtSignature: z.string().optional(),
    inlineData: Blob.optional(),
    fileData: z.strictObject({ mimeType: z.string().optional(), fileUri: z.string() }).optional(),
    functionCall: z.strictObject({ id: z.string().optional(), name: Name, args: Args.optional() }).optional(),
    functionResponse: z
      .strictObject({
        id: z.string().optional(),
        name: Name,
        response: Args,
        parts: z.array(z.strictObject({ inlineData: Blob })).optional(),
      })
      .optional(),
  })
  .refine(
    ({ text, inlineData, fileData, functionCall, functionResponse }) =>
      [text, inlineData, fileData, functionCall, functionResponse].filter((value) => value !== undefined)
        .length === 1,
    "oneof field 'data' must have one initialized field",
  );
const Content = z.strictObject({ role: z.enum(["user", "model"]), parts: z.array(Part).min(1) });
type Content = z.infer<typeof Content>;

/** OpenAPI's subset of a schema; full JSON Schema has another name. */
const Schema: z.ZodType = z.lazy(() =>
  z.strictObject({
    // Also in lower case, because the AI SDK sends it so.
    type: z
      .string()
      .regex(/^(string|number|integer|boolean|array|object|null)$/i)
      .optional(),
    format: z.string().optional(),
    title: z.string().optional(),
    description: z.string().optional(),
    nullable: z.boolean().optional(),
    enum: z.array(z.string()).optional(),
    items: Schema.optional(),
    properties: z.record(z.string(), Schema).optional(),
    required: z.array(z.string()).optional(),
    propertyOrdering: z.array(z.string()).optional(),
    anyOf: z.array(Schema).optional(),
    minimum: z.number().optional(),
    maximum: z.number().optional(),
    minItems: z.union([z.string(), z.number()]).optional(),
    maxItems: z.union([z.string(), z.number()]).optional(),
    minLength: z.union([z.string(), z.number()]).optional(),
    maxLength: z.union([z.string(), z.number()]).optional(),
    pattern: z.string().optional(),
    default: z.unknown().optional(),
    example: z.unknown().optional(),
  }),
);
const Declaration = z
  .strictObject({
    name: Name,
    description: z.string().optional(),
    parameters: Schema.optional(),
    parametersJsonSchema: z.looseObject({ type: z.literal("object") }).optional(),
    behavior: z.string().optional(),
    response: Schema.optional(),
    responseJsonSchema: z.unknown().optional(),
  })
  .refine(
    ({ parameters, parametersJsonSchema }) => parameters === undefined || parametersJsonSchema === undefined,
    "parameters and parametersJsonSchema exclude each other",
  );
const Tool = z.strictObject({
  functionDeclarations: z.array(Declaration).min(1).optional(),
  googleSearch: z.looseObject({}).optional(),
  urlContext: z.looseObject({}).optional(),
  codeExecution: z.looseObject({}).optional(),
});

/** All keys that Google knows and that these conversations may need; it refuses others. */
export const GeminiRequest = z.strictObject({
  contents: z.array(Content).min(1),
  systemInstruction: z.strictObject({ role: z.string().optional(), parts: z.array(Part).min(1) }).optional(),
  tools: z.array(Tool).optional(),
  toolConfig: z
    .strictObject({
      includeServerSideToolInvocations: z.boolean().optional(),
      functionCallingConfig: z
        .strictObject({
          mode: z.enum(["AUTO", "ANY", "NONE", "VALIDATED"]).optional(),
          allowedFunctionNames: z.array(Name).optional(),
        })
        .optional(),
    })
    .optional(),
  safetySettings: z.array(z.strictObject({ category: z.string(), threshold: z.string() })).optional(),
  labels: z.record(z.string(), z.string()).optional(),
  generationConfig: z
    .strictObject({
      temperature: z.number().min(0).max(2).optional(),
      topP: z.number().min(0).max(1).optional(),
      topK: z.number().optional(),
      seed: z.number().int().optional(),
      candidateCount: z.literal(1).optional(),
      maxOutputTokens: z.number().int().positive().optional(),
      stopSequences: z.array(z.string().min(1)).max(5).optional(),
      responseMimeType: z.string().optional(),
      responseSchema: Schema.optional(),
      responseJsonSchema: z.unknown().optional(),
      presencePenalty: z.number().optional(),
      frequencyPenalty: z.number().optional(),
      thinkingConfig: z
        .strictObject({
          includeThoughts: z.boolean().optional(),
          thinkingBudget: z.number().int().optional(),
          // Google reads these names in either case, and the AI SDK writes lower case.
          thinkingLevel: z
            .string()
            .toUpperCase()
            .pipe(z.enum(["MINIMAL", "LOW", "MEDIUM", "HIGH"]))
            .optional(),
        })
        .optional(),
    })
    .optional(),
});
export type GeminiRequest = z.infer<typeof GeminiRequest>;

const callsIn = ({ parts }: Content) => parts.filter(({ functionCall }) => functionCall !== undefined);
const resultsIn = ({ parts }: Content) =>
  parts.flatMap(({ functionResponse }) => (functionResponse ? [functionResponse.name] : []));

/** Returns a fault unless as many responses as calls follow them directly. */
function findPairingFault(contents: Content[]): string | null {
  for (const [at, content] of contents.entries()) {
    const before = contents[at - 1];
    const callNames = before?.role === "model" ? callsIn(before).map((part) => part.functionCall?.name) : [];
    const resultNames = resultsIn(content);
    if (callNames.sort().join() !== resultNames.sort().join()) {
      return `the function response parts (${resultNames}) are not equal to the function call parts (${callNames})`;
    }
    if (content.role === "model" && callsIn(content).length > 0 && before?.role !== "user") {
      return "a function call turn comes immediately after a user turn or after a function response turn";
    }
  }
  const last = contents.at(-1);
  return last && callsIn(last).length > 0
    ? "the last function call turn has no function response turn"
    : null;
}

/** Returns a fault unless the first call of every step since the last user message is signed, by this vendor only. */
function findSignatureFault(contents: Content[], thoughts: Set<string>): string | null {
  const signatures = contents.flatMap(({ parts }) =>
    parts.flatMap(({ thoughtSignature: signature }) => signature ?? []),
  );
  if (signatures.some((signature) => signature !== NO_SIGNATURE && !thoughts.has(signature))) {
    return "Thought signature is not valid.";
  }
  const turn = contents.findLastIndex(
    (content) => content.role === "user" && resultsIn(content).length === 0,
  );
  const firsts = contents.slice(turn + 1).flatMap((content) => callsIn(content).slice(0, 1));
  const bare = firsts.find(({ thoughtSignature }) => !thoughtSignature);
  return bare
    ? `Function call is missing a thought_signature in functionCall parts: ${bare.functionCall?.name}`
    : null;
}

function findToolFault({ tools = [], toolConfig }: GeminiRequest): string | null {
  const names = tools.flatMap(({ functionDeclarations = [] }) =>
    functionDeclarations.map(({ name }) => name),
  );
  const allowed = toolConfig?.functionCallingConfig?.allowedFunctionNames ?? [];
  const rules: [boolean, string][] = [
    [new Set(names).size !== names.length, "Duplicate function declaration found"],
    [
      toolConfig?.functionCallingConfig !== undefined && names.length === 0,
      "Function calling config is set without",
    ],
    [allowed.some((name) => !names.includes(name)), "allowed_function_names are not declared"],
    [
      names.length > 0 &&
        tools.some(({ googleSearch }) => googleSearch) &&
        toolConfig?.includeServerSideToolInvocations !== true,
      "Built-in tools ({google_search}) and Function Calling cannot be combined in the same request.",
    ],
  ];
  return rules.find(([isBroken]) => isBroken)?.[1] ?? null;
}

/** Why Google would refuse the request; null if it would not. `thoughts`: this model's thinking so far. */
export function findGeminiFault(
  { path, headers, body }: Pick<GeminiVendorRequest, "path" | "headers" | "body">,
  thoughts: string[],
): string | null {
  const isKnown = /^\/v1(beta)?\/models\/[^/:]+:(generateContent|streamGenerateContent(\?alt=sse)?)$/.test(
    path,
  );
  if (!isKnown || !headers["x-goog-api-key"]) {
    return `no such call: ${path}`;
  }
  const parsed = GeminiRequest.safeParse(body);
  if (!parsed.success) {
    return z.prettifyError(parsed.error);
  }
  const { contents } = parsed.data;
  return contents[0]?.role === "model"
    ? "ensure that multiturn requests start with a user role"
    : (findToolFault(parsed.data) ??
        findPairingFault(contents) ??
        findSignatureFault(contents, new Set(thoughts.map(signThought))));
}
