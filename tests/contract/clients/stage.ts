import { mapToolNames } from "@/server/protocol/tools/tool-names";
import { findChatFault } from "@/tests/support/chat-rules";
import { chatCallIds, readChatToolUses, speakChat } from "@/tests/support/chat-upstream";
import type { TestGateway } from "@/tests/support/gateway";
import { findMessagesFault } from "@/tests/support/messages-rules";
import { messagesCallIds, readMessagesToolUses, speakMessages } from "@/tests/support/messages-upstream";
import type { ScriptedTurn, ToolUse } from "@/tests/support/scripted-turn";
import { sharedGateway } from "@/tests/support/shared-gateway";
import { type FakeUpstream, startUpstream, type UpstreamHandler } from "@/tests/support/upstream";
import type { CallTarget, Client } from "./client";

type VendorRequest = Parameters<UpstreamHandler>[0];
type TestChannel = Parameters<TestGateway["channel"]>[0];

/** A route to a model: a vendor that is strict in its dialect, and the requests that reach it. */
export type VendorRoute = {
  name: string;
  /** The clients for which this way differs from the others. */
  takes: (client: Client) => boolean;
  /** The vendor gets earlier thinking back from clients of other dialects. */
  echoesThinking: boolean;
  dialect: Client["dialect"];
  callIds: string[];
  /** The name of a tool in the vendor's request. */
  nameOf: (name: string) => string;
  /** The vendor's request, apart from the conversation. */
  terms: Record<string, unknown>;
  capabilities: NonNullable<TestChannel["capabilities"]>[string];
  speak: (turns: ScriptedTurn[]) => UpstreamHandler;
  findFault: (request: VendorRequest, turns: ScriptedTurn[]) => string | null;
  readToolUses: (body: unknown) => ToolUse[];
};

const chatWay = {
  dialect: "chat" as const,
  callIds: chatCallIds,
  nameOf: (name: string) => mapToolNames([], 64).toUpstream(name),
  readToolUses: readChatToolUses,
};

const messagesWay = {
  dialect: "messages" as const,
  callIds: messagesCallIds,
  nameOf: (name: string) => name,
  echoesThinking: false,
  speak: (turns: ScriptedTurn[]) => speakMessages({ turns }),
  findFault: (request: VendorRequest) => findMessagesFault(request),
  readToolUses: readMessagesToolUses,
};

export const ways: VendorRoute[] = [
  {
    ...chatWay,
    name: "a channel of the chat dialect",
    takes: () => true,
    echoesThinking: false,
    terms: {},
    capabilities: {},
    speak: (turns) => speakChat({ turns }),
    findFault: (request, turns) => findChatFault(request, { turns }),
  },
  {
    ...chatWay,
    name: "a channel of the chat dialect that wants its thinking back",
    // A chat client decides itself what it sends back.
    takes: ({ dialect }) => dialect === "messages",
    echoesThinking: true,
    terms: { thinking: { type: "enabled" } },
    capabilities: { thinking: "type", echoesThinking: true },
    speak: (turns) => speakChat({ turns, wantsThinkingBack: true }),
    findFault: (request, turns) => findChatFault(request, { turns, wantsThinkingBack: true }),
  },
  {
    ...{ ...messagesWay, name: "a channel of the messages dialect" },
    ...{ takes: () => true, terms: {}, capabilities: {} },
  },
  {
    ...messagesWay,
    name: "a channel of the messages dialect that thinks on a budget",
    // A client of the messages dialect names the budget itself, on any channel.
    takes: ({ dialect, asksToThink }) => dialect === "chat" && asksToThink,
    terms: { thinking: { type: "enabled" } },
    capabilities: { thinking: "budget" },
  },
];

/** The result of one client's calls on one way. */
type Performed<Result> = {
  result: Result;
  /** The requests that reached the vendor, in order. */
  requests: VendorRequest[];
  charges: Awaited<ReturnType<TestGateway["entries"]>>;
  drift: Awaited<ReturnType<TestGateway["verify"]>>;
};

type Use<Result> = (target: CallTarget) => Promise<Result>;

export type Stage = {
  /**
   * Runs `use` for a new customer against a vendor that answers `turns`. On a refusal it throws the vendor's message.
   */
  perform: <Result>(way: VendorRoute, turns: ScriptedTurn[], use: Use<Result>) => Promise<Performed<Result>>;
  close: () => Promise<void>;
};

/** Adds the vendor's reason to an error: an SDK may hide it. */
async function explain<Result>(promise: Promise<Result>, faults: () => (string | null)[]): Promise<Result> {
  try {
    return await promise;
  } catch (error) {
    const words = faults().filter((fault) => fault !== null);
    throw new Error(`${String(error)}; the vendor refused: ${JSON.stringify(words)}`, { cause: error });
  }
}

export async function openStage(): Promise<Stage> {
  const gateway = await sharedGateway();
  const upstreams = new Map<VendorRoute, { upstream: FakeUpstream; model: string }>();
  for (const way of ways) {
    const upstream = await startUpstream(way.speak([]));
    const model = await gateway.model({ maxOutputTokens: 8_192 });
    await gateway.channel({
      model,
      baseUrl: upstream.baseUrl,
      dialect: way.dialect === "chat" ? "openai" : "anthropic",
      capabilities: { [model]: way.capabilities },
    });
    upstreams.set(way, { upstream, model });
  }
  const upstreamOf = (way: VendorRoute) => {
    const entry = upstreams.get(way);
    if (!entry) {
      throw new Error(`no upstream for ${way.name}`);
    }
    return entry;
  };
  return {
    perform: async (way, turns, use) => {
      const { upstream, model } = upstreamOf(way);
      upstream.answer(way.speak(turns));
      const before = upstream.requests.length;
      const { accountId, secret } = await gateway.customer();
      const faults = () => upstream.requests.slice(before).map((request) => way.findFault(request, turns));
      const result = await explain(use({ url: gateway.url, secret, model }), faults);
      return {
        result,
        requests: upstream.requests.slice(before),
        charges: await gateway.entries(accountId),
        drift: await gateway.verify(),
      };
    },
    close: async () => {
      await gateway.close();
      await Promise.all([...upstreams.values()].map(({ upstream }) => upstream.close()));
    },
  };
}
