import OpenAI7 from "openai";
import OpenAI6 from "openai-6";
import { z } from "zod";
import { type CallTarget, type Client, type ClientOutput, prompt, runTool, tools } from "./client";

type Chat = OpenAI6.Chat;
type Request = OpenAI6.ChatCompletionCreateParamsNonStreaming;
const Reasoned = z.looseObject({ reasoning_content: z.string().nullish() });
const thinkingIn = (part: unknown): string => Reasoned.parse(part ?? {}).reasoning_content ?? "";

const countsOf = (usage: OpenAI6.CompletionUsage | undefined) => ({
  input: usage?.prompt_tokens ?? 0,
  cached: usage?.prompt_tokens_details?.cached_tokens ?? 0,
  output: usage?.completion_tokens ?? 0,
});

/**
 * One complete answer. Of fields that it does not know, such as thinking, the stream helper keeps only the last piece.
 */
async function complete(chat: Chat, request: Request, isStream: boolean) {
  if (!isStream) {
    const completion = await chat.completions.create(request);
    return { completion, thinking: thinkingIn(completion.choices[0]?.message) };
  }
  const streamOptions = { stream: true, stream_options: { include_usage: true } } as const;
  const stream = chat.completions.stream({ ...request, ...streamOptions });
  let thinking = "";
  for await (const chunk of stream) {
    thinking += thinkingIn(chunk.choices[0]?.delta);
  }
  return { completion: await stream.finalChatCompletion(), thinking };
}

const terms = {
  reasoning_effort: "medium" as const,
  tools: tools.map(({ name, description, schema }) => ({
    ...{ type: "function" as const, function: { name, description, parameters: schema } },
  })),
};

async function toolLoop(chat: Chat, target: CallTarget, isStream: boolean): Promise<ClientOutput> {
  const heard: ClientOutput = { thinking: "", text: "", stopReasons: [], usage: [] };
  const messages: OpenAI6.ChatCompletionMessageParam[] = [
    { role: "system", content: "Use your tools." },
    { role: "user", content: prompt },
  ];
  for (let turn = 0; turn < 3; turn++) {
    const request = { model: target.model, messages, ...terms };
    const { completion, thinking } = await complete(chat, request, isStream);
    const [choice] = completion.choices;
    heard.thinking ||= thinking;
    heard.text = choice?.message.content ?? "";
    heard.stopReasons.push(choice?.finish_reason ?? "none");
    heard.usage.push(countsOf(completion.usage));
    if (!choice?.message.tool_calls?.length) {
      break;
    }
    messages.push({ ...choice.message, ...(thinking && { reasoning_content: thinking }) });
    for (const call of choice.message.tool_calls) {
      if (call.type === "function") {
        const content = runTool(call.function.name, JSON.parse(call.function.arguments));
        messages.push({ role: "tool", tool_call_id: call.id, content });
      }
    }
  }
  return heard;
}

const adapt = (name: string, OpenAI: typeof OpenAI6): Client => {
  const open = ({ url, secret }: CallTarget) =>
    new OpenAI({ baseURL: `${url}/v1`, apiKey: secret, maxRetries: 0 }).chat;
  return {
    name,
    dialect: "chat",
    asksToThink: true,
    hearsThinking: true,
    stopReasons: ["tool_calls", "stop"],
    toolLoop: (target, { isStream }) => toolLoop(open(target), target, isStream),
  };
};

export const openaiClients = [
  // The majors differ only in types that this test does not use.
  adapt("openai 7", OpenAI7 as unknown as typeof OpenAI6),
  adapt("openai 6", OpenAI6),
];
