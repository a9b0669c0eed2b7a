/** A model as the list of models tells of it, in each vendor's form (spec 4.1, 4.12). Pure. */
import { formatMoney, type Nanos } from "@/server/base/money";
import type { Model } from "@/server/catalog";

/** Unknown facts are left out: clients then use what they know about the name, and a guess of ours would overrule it. */
type Sold = Pick<
  Model,
  | "id"
  | "kind"
  | "ownedBy"
  | "createdAt"
  | "maxOutputTokens"
  | "contextWindow"
  | "inputModalities"
  | "outputModalities"
  | "hasTools"
  | "hasThinking"
  | "prices"
  | "unitPrices"
>;

/** The output of a kind of model without facts: chat models of this API answer with text. */
const outputsOf: Partial<Record<Model["kind"], string[]>> = {
  chat: ["text"],
  embedding: ["embeddings"],
  image: ["image"],
  speech: ["audio"],
  transcription: ["text"],
  video: ["video"],
};

/** A price of a million tokens as that of one, exactly: nano-units of a million are 15 places behind the point. */
function perToken(price: Nanos): string {
  const digits = String(price).padStart(16, "0");
  const fraction = digits.slice(-15).replace(/0+$/, "");
  return `${digits.slice(0, -15)}${fraction && `.${fraction}`}`;
}

/** What is paid by the piece has the same name there. */
const pieces = ["request", "web_search"];

function pricing({ kind, prices, unitPrices }: Sold, currency: string) {
  const isChat = kind === "chat";
  return {
    prompt: perToken(prices.input),
    completion: isChat ? perToken(prices.output) : "0",
    ...(isChat && {
      input_cache_read: perToken(prices.cacheRead),
      input_cache_write: perToken(prices.cacheWrite),
    }),
    ...Object.fromEntries(
      unitPrices
        .filter(({ unit }) => pieces.includes(unit))
        .map(({ unit, price }) => [unit, formatMoney(price)]),
    ),
    currency,
  };
}

/** Null where it is not known whether there are tools: a list without them says that there are none. */
function parametersOf({ kind, hasTools, hasThinking }: Sold): string[] | null {
  if (kind !== "chat" || hasTools === null) {
    return null;
  }
  return [
    "max_tokens",
    "stop",
    ...(hasTools ? ["tools", "tool_choice"] : []),
    ...(hasThinking ? ["reasoning", "reasoning_effort"] : []),
  ];
}

/**
 * OpenAI's, with what agents read beside it, by OpenRouter's names; the window by those of vLLM and Groq too, whose
 * clients know no other. `currency`: of the prices. null: they are not for this client.
 */
export function openaiForm(model: Sold, currency: string | null) {
  const { contextWindow, kind } = model;
  const parameters = parametersOf(model);
  const outputs = model.outputModalities ?? outputsOf[kind];
  return {
    id: model.id,
    object: "model",
    created: Math.floor(model.createdAt.getTime() / 1000),
    owned_by: model.ownedBy,
    name: model.id,
    ...(contextWindow !== null && {
      context_length: contextWindow,
      context_window: contextWindow,
      max_model_len: contextWindow,
    }),
    ...((model.inputModalities || outputs) && {
      architecture: {
        ...(model.inputModalities && { input_modalities: model.inputModalities }),
        ...(outputs && { output_modalities: outputs }),
      },
    }),
    ...(kind === "chat" && {
      top_provider: {
        ...(contextWindow !== null && { context_length: contextWindow }),
        max_completion_tokens: model.maxOutputTokens,
      },
    }),
    ...(parameters && { supported_parameters: parameters }),
    ...(currency !== null &&
      (kind === "chat" || kind === "embedding") && { pricing: pricing(model, currency) }),
  };
}

const supports = (supported: boolean) => ({ supported });

/** The known ones of Anthropic's capabilities. */
function capabilitiesOf({ inputModalities, hasThinking }: Sold) {
  if (inputModalities === null && hasThinking === null) {
    return null;
  }
  return {
    ...(inputModalities && {
      image_input: supports(inputModalities.includes("image")),
      pdf_input: supports(inputModalities.includes("file")),
    }),
    ...(hasThinking !== null && { thinking: supports(hasThinking) }),
  };
}

/** Anthropic's. Every member is present: null stands for an unknown fact, and for the date, which we do not have. */
export const anthropicForm = (model: Sold) => ({
  type: "model",
  id: model.id,
  display_name: model.id,
  created_at: model.createdAt.toISOString(),
  lifecycle: "active",
  line: null,
  deprecated_at: null,
  retires_at: null,
  max_input_tokens: model.contextWindow,
  max_tokens: model.kind === "chat" ? model.maxOutputTokens : null,
  capabilities: capabilitiesOf(model),
});

/** What Google's API calls with models of each kind. */
const methods: Partial<Record<Model["kind"], string[]>> = {
  chat: ["generateContent", "countTokens"],
  embedding: ["embedContent", "batchEmbedContents"],
  image: ["predict"],
};

/** Google's. */
export const googleForm = (model: Sold) => ({
  name: `models/${model.id}`,
  baseModelId: model.id,
  version: "001",
  displayName: model.id,
  description: model.id,
  ...(model.contextWindow !== null && { inputTokenLimit: model.contextWindow }),
  ...(model.kind === "chat" && { outputTokenLimit: model.maxOutputTokens }),
  ...(model.hasThinking !== null && { thinking: model.hasThinking }),
  supportedGenerationMethods: methods[model.kind] ?? [],
});
