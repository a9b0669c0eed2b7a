import { errorMessages } from "@/server/base/error-messages";
import { refuse } from "./json/object";
import { type ClientDialect, namesIn, scalarEntries } from "./scalar-members";

/**
 * The members that the gateway reads, at any level: for prices, holds, translation or refusals. Scalar members are in
 * their table (scalar-members.ts), and the hints among them may have any spelling. If an upstream took another name for
 * one of these, the gateway would charge for one request and the upstream would serve another.
 */
const vendorsNames =
  `model messages prompt input stream stream_options include_usage thinking budget_tokens display thread
  reasoning reasoning_effort effort output_config output_format response_format json_schema schema strict tools
  tool_choice allowed_tools mode functions function_call parallel_tool_calls disable_parallel_tool_use
  mcp_servers web_search_options search_context_size user_location filter system role content name type text
  refusal tool_calls tool_call_id tool_use_id tool_name function arguments id index description parameters
  input_schema custom format is_error source media_type data url image_url video_url audio_url input_audio
  audio detail file file_id file_data title context citations signature thinking_blocks reasoning_content
  cache_control ttl max_uses file_url previous_response_id store include instructions background conversation
  environment encrypted_content call_id encoding_format dimensions output_dimension output_dtype duration
  resolution aspect_ratio speed models fallbacks preset anthropic_beta extra_body mock_testing_fallbacks size
  quality batch_size num_images sequential_image_generation sequential_image_generation_options max_images
  query documents max_tool_calls search_parameters enable_search mcp_server_name partial_images suffix echo
  logprobs top_logprobs best_of`.split(/\s+/);

/** Google's names, in camelCase; Google also accepts snake_case. */
const googlesNames =
  `contents parts systemInstruction responseModalities responseMimeType thinkingConfig thinkingBudget
  thinkingLevel includeThoughts cachedContent toolConfig functionDeclarations functionCallingConfig
  allowedFunctionNames googleSearch googleSearchRetrieval enterpriseWebSearch functionCall functionResponse
  thought thoughtSignature inlineData fileData mimeType responseLogprobs fileUri displayName
  generateContentRequest requests outputDimensionality embedContentConfig`.split(/\s+/);

const toSnake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Clients define the names below these members: a schema may have both `id` and `ID`. */
const free = new Set(["parameters", "input_schema", "schema", "arguments", "metadata"]);

/** The names down to one below which the gateway reads no others. */
function levelsOf(name: string): string[] {
  const levels = name.split(".");
  const last = levels.findIndex((level) => free.has(level));
  return last === -1 ? levels : levels.slice(0, last + 1);
}

const scalarNames = (dialect: ClientDialect) =>
  scalarEntries.flatMap(([, member]) => (member.isHint ? [] : namesIn(member, dialect).flatMap(levelsOf)));

const inBothSpellings = (names: string[]) => [...names, ...names.map(toSnake)];

const actedOn = new Set([
  ...vendorsNames,
  ...(["chat", "completions", "messages", "responses"] as const).flatMap(scalarNames),
  ...inBothSpellings([...googlesNames, ...scalarNames("gemini")]),
]);

/** Folds names as Go does when it compares members: without case, and with the two letters that fold into ASCII. */
export const folded = (name: string) => name.toUpperCase().toLowerCase();

/** The spelling that the gateway reads, by the folded name. */
const spellings = new Map([...actedOn].map((name) => [folded(name), name]));

/** Whether a name is no member to the gateway but is one to a parser that ignores case. */
const isMisspelt = (name: string) => !actedOn.has(name) && spellings.has(folded(name));

/** The misspelt names in lower case. */
const misspelt = new Set([...spellings.keys()].filter(isMisspelt));

/** A quick test that most names pass. */
const isPlain = (name: string) => /^[a-z0-9_]{1,64}$/.test(name) && !misspelt.has(name);

/** Whether the gateway reads nothing below a member. `input` is free only where it is an object: a tool call's. */
export const isFree = (name: string, opensObject: boolean) =>
  !actedOn.has(name) || free.has(name) || (name === "input" && opensObject);

/**
 * Refuses a name that the gateway and an upstream could read differently: one that its object has twice, one in another
 * case, or one with escapes, which parsers have got wrong (nodejs/node#63785). Throws invalidParameters.
 */
export function refuseAmbiguous(
  name: string,
  { isRepeated, isEscaped }: { isRepeated: boolean; isEscaped: boolean },
) {
  if (!isRepeated && !isEscaped && isPlain(name)) {
    return;
  }
  const short = name.slice(0, 256);
  const meant = spellings.get(folded(short));
  if (isRepeated || (isEscaped && meant !== undefined) || isMisspelt(short)) {
    const shown = meant ?? name.slice(0, 64);
    const isLower = shown === folded(shown);
    throw refuse(isLower ? errorMessages.onceInLowerCase(shown) : errorMessages.inBothSpellings(shown));
  }
}
