import { details } from "@/server/base/details";
import { refuse } from "./json-object";

/**
 * The members that the gateway reads, on any level: what it prices, freezes, translates or refuses by. A name that an
 * upstream could take for one of these, and we do not, would be charged as one thing and served as another.
 */
const vendorsNames =
  `model messages prompt input stream stream_options include_usage n max_tokens max_completion_tokens temperature top_p
  top_k stop stop_sequences thinking budget_tokens display thread reasoning reasoning_effort effort output_config
  output_format response_format json_schema schema strict tools tool_choice allowed_tools mode functions function_call
  parallel_tool_calls disable_parallel_tool_use mcp_servers web_search_options search_context_size user_location
  filter service_tier system role content name type text refusal tool_calls tool_call_id tool_use_id tool_name
  function arguments id index description parameters input_schema custom format is_error source media_type data url
  image_url video_url audio_url input_audio audio detail file file_id file_data title context citations signature
  thinking_blocks reasoning_content cache_control ttl metadata user safety_identifier max_uses file_url
  previous_response_id store include instructions background conversation environment max_output_tokens
  encrypted_content call_id encoding_format dimensions output_dimension output_dtype duration resolution aspect_ratio speed models fallbacks preset anthropic_beta extra_body
  mock_testing_fallbacks size quality batch_size num_images sequential_image_generation
  sequential_image_generation_options max_images query documents max_tool_calls search_parameters enable_search
  mcp_server_name partial_images suffix echo logprobs top_logprobs best_of`.split(/\s+/);

/** Google's, in the first of their two spellings. */
const googlesNames =
  `contents parts systemInstruction generationConfig maxOutputTokens candidateCount topP topK stopSequences
  responseModalities responseMimeType thinkingConfig thinkingBudget thinkingLevel includeThoughts cachedContent
  serviceTier toolConfig functionDeclarations functionCallingConfig allowedFunctionNames googleSearch
  googleSearchRetrieval enterpriseWebSearch functionCall functionResponse thought thoughtSignature inlineData fileData mimeType
  responseLogprobs fileUri displayName generateContentRequest requests outputDimensionality embedContentConfig`.split(
    /\s+/,
  );

const toSnake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const actedOn = new Set([...vendorsNames, ...googlesNames, ...googlesNames.map(toSnake)]);

/** What a client defines below these is its own: a schema may well have both `id` and `ID`. */
const free = new Set(["parameters", "input_schema", "schema", "arguments", "metadata", "logit_bias"]);

/** As Go compares the names of members: without case, and with the two letters that fold into ASCII. */
export const folded = (name: string) => name.toUpperCase().toLowerCase();

/** How each is written, by its name without case. */
const spellings = new Map([...actedOn].map((name) => [folded(name), name]));

/** Written so that it is no member to us, and one to whoever compares without case. */
const isMisspelt = (name: string) => !actedOn.has(name) && spellings.has(folded(name));

/** Those of them in lower case. */
const misspelt = new Set([...spellings.keys()].filter(isMisspelt));

/** Most names. */
const isPlain = (name: string) => /^[a-z0-9_]{1,64}$/.test(name) && !misspelt.has(name);

/** Whether nothing below a member is looked at. A tool call's `input` is an object; no other one is. */
export const isFree = (name: string, opensObject: boolean) =>
  !actedOn.has(name) || free.has(name) || (name === "input" && opensObject);

/**
 * Refuses a name that is one member to us and another to an upstream: one that stands in its object twice, in another
 * case, or with escapes, which parsers have got wrong (nodejs/node#63785). Throws invalidParameters.
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
    throw refuse(isLower ? details.onceInLowerCase(shown) : details.inBothSpellings(shown));
  }
}
