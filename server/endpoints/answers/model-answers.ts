/** A model in the forms of OpenAI, Anthropic and Google. Objects may have more members than are listed. */
import { constant, integer, listOf, object, orNull, text, truth } from "../schema";

const strings = listOf(text);

export const Model = object(
  {
    ...{ id: text, object: constant("model"), created: integer, owned_by: text, name: text },
    ...{ context_length: integer, context_window: integer, max_model_len: integer },
    architecture: object({ input_modalities: strings, output_modalities: strings }, ["*"]),
    top_provider: object({ context_length: integer, max_completion_tokens: integer }, ["context_length"]),
    supported_parameters: strings,
    pricing: object(
      {
        ...{ prompt: text, completion: text, input_cache_read: text, input_cache_write: text },
        ...{ request: text, web_search: text, currency: text },
      },
      ["input_cache_read", "input_cache_write", "request", "web_search"],
    ),
  },
  [
    ...["context_length", "context_window", "max_model_len", "architecture", "top_provider"],
    ...["supported_parameters", "pricing"],
  ],
);
const support = object({ supported: truth });
export const AnthropicModel = object({
  ...{ id: text, type: constant("model"), display_name: text, created_at: text, lifecycle: text },
  ...{ line: orNull(text), deprecated_at: orNull(text), retires_at: orNull(text) },
  ...{ max_input_tokens: orNull(integer), max_tokens: orNull(integer) },
  capabilities: orNull(object({ image_input: support, pdf_input: support, thinking: support }, ["*"])),
});
export const GoogleModel = object(
  {
    ...{ name: text, displayName: text, supportedGenerationMethods: strings },
    ...{ inputTokenLimit: integer, outputTokenLimit: integer, thinking: truth },
  },
  ["inputTokenLimit", "outputTokenLimit", "thinking"],
);
