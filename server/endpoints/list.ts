/** The list of all calls, and what is derived from it. */
import type { ModelKind } from "@/server/domain/enums";
import { balances } from "./balance";
import { chatCompletions } from "./chat-completions";
import { completions } from "./completions";
import { conversations } from "./conversations";
import { embeddings } from "./embeddings";
import type { Endpoint, Example } from "./endpoint";
import { gemini } from "./gemini";
import { imageEdits, images } from "./images";
import { messages } from "./messages";
import { models } from "./models";
import { moderations } from "./moderations";
import { rerank } from "./rerank";
import { responses } from "./responses";
import { speech } from "./speech";
import { transcriptions, translations } from "./transcriptions";
import { videos } from "./videos";

/** Forwarded calls with a reader of JSON, and the others, whose form is read as a file. */
export const readEndpoints = [images, imageEdits, speech, rerank, moderations] as const;
export const forwardedEndpoints = [...readEndpoints, transcriptions, translations] as const;

/** In the order of the reference. */
const list = [
  ...models,
  chatCompletions,
  ...messages,
  ...responses,
  completions,
  ...conversations,
  embeddings,
  images,
  imageEdits,
  speech,
  transcriptions,
  translations,
  rerank,
  moderations,
  ...videos,
  ...gemini,
  ...balances,
] as const;

type Listed = (typeof list)[number];
export type EndpointId = Listed["id"];
export type EndpointName = Listed["name"];
export type ReadName = (typeof readEndpoints)[number]["name"];
type ForwardedName = (typeof forwardedEndpoints)[number]["name"];

export const endpoints: readonly Endpoint<EndpointId, EndpointName>[] = list;
export const forwardedNames = forwardedEndpoints.map(({ name }) => name);

/** How people see the names under which calls are recorded: only calls with a key are. */
export const endpointLabels: Readonly<Record<string, string>> = Object.fromEntries(
  endpoints.flatMap(({ name, access, label, path }) => (access === "key" ? [[name, label ?? path]] : [])),
);
export const endpointNames = Object.keys(endpointLabels);

const operationsSoldAs = (sold: ModelKind): ForwardedName[] =>
  forwardedEndpoints.filter(({ kind }) => kind === sold).map(({ name }) => name);

/** The operations of upstreams; a channel that has one of them serves models of the kind. */
export const operationsByKind: Record<ModelKind, readonly string[]> = {
  chat: ["chat", "messages", "responses", "gemini"],
  embedding: ["embeddings"],
  video: ["videos"],
  image: operationsSoldAs("image"),
  speech: operationsSoldAs("speech"),
  transcription: operationsSoldAs("transcription"),
  rerank: operationsSoldAs("rerank"),
  moderation: operationsSoldAs("moderation"),
};

/** A call to show for a model of a kind, where a plain body makes one. */
export const examplesByKind: Partial<Record<ModelKind, Example & { path: string }>> = Object.fromEntries(
  readEndpoints.flatMap((endpoint) =>
    "example" in endpoint ? [[endpoint.kind, { ...endpoint.example, path: endpoint.path }]] : [],
  ),
);
