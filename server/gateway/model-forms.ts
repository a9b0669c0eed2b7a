/** A model's entry in the list of models, in each vendor's form (spec 4.1, 4.12). Pure. */
import { formatMoney, type Nanos } from "@/server/base/money";
import type { Model } from "@/server/catalog";
import { tokenClasses, tokenPrice } from "@/server/pricing";

/**
 * Unknown facts are left out: clients then use their own knowledge of the name, which a guess of ours would overrule.
 */
type PublicModel = Pick<
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
>;

/** The output of each kind of model, for models without facts: chat models of this API answer with text. */
const outputsOf: Partial<Record<Model["kind"], string[]>> = {
  chat: ["text"],
  embedding: ["embeddings"],
  image: ["image"],
  speech: ["audio"],
  transcription: ["text"],
  video: ["video"],
};

/**
 * Converts the price of a million tokens to the exact price of one: a nano-unit per million tokens has 15 decimal
 * places.
 */
function perToken(price: Nanos): string {
  const digits = String(price).padStart(16, "0");
  const fraction = digits.slice(-15).replace(/0+$/, "");
  return `${digits.slice(0, -15)}${fraction && `.${fraction}`}`;
}

/** Units that are paid by the piece; OpenRouter's form has the same names. */
const pieces = ["request", "web_search"];

function pricing({ kind, prices }: PublicModel, currency: string) {
  const isChat = kind === "chat";
  const cached = tokenClasses.flatMap(({ name, follows }) => (follows === "input" ? [name] : []));
  return {
    prompt: perToken(tokenPrice(prices, "input")),
    completion: isChat ? perToken(tokenPrice(prices, "output")) : "0",
    ...(isChat &&
      Object.fromEntries(cached.map((name) => [`input_${name}`, perToken(tokenPrice(prices, name))]))),
    ...Object.fromEntries(
      [...prices].flatMap(([name, price]) => (pieces.includes(name) ? [[name, formatMoney(price)]] : [])),
    ),
    currency,
  };
}

/** null: it is unknown whether the model has tools. A list without them would say that it has none. */
function parametersOf({ kind, hasTools, hasThinking }: PublicModel): string[] | null {
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
 * OpenAI's form, with the members that agents read in addition, by OpenRouter's names. The context window also has the
 * names of vLLM and Groq, whose clients know no other. `currency`: of the prices; null: this client gets no prices.
 */
export function openaiForm(model: PublicModel, currency: string | null) {
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

/** Anthropic's capabilities, as far as they are known. */
function capabilitiesOf({ inputModalities, hasThinking }: PublicModel) {
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

/**
 * Anthropic's form. Every member is present: null stands for an unknown fact, and for the retirement's dates, which we
 * do not have.
 */
export const anthropicForm = (model: PublicModel) => ({
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

/** The methods of Google's API for models of each kind. */
const methods: Partial<Record<Model["kind"], string[]>> = {
  chat: ["generateContent", "countTokens"],
  embedding: ["embedContent", "batchEmbedContents"],
  image: ["predict"],
};

/** Google's form. */
export const googleForm = (model: PublicModel) => ({
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
