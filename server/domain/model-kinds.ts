/** The kind of a model by its name, for vendors whose lists name models and nothing else. Imports nothing from the server. */
import { converses, type ModelKind, type VendorApi } from "./enums";

/** Served by no call of the gateway: sessions, screens, and the completions of the first models. */
const NOT_SERVED =
  /realtime|[-_]live[-_]|native-audio|computer-use|babbage|davinci|-instruct-0914|turbo-instruct/;

/** The first match applies: the name of a model that makes images of texts may contain that of a model of texts. */
const kinds: readonly [RegExp, ModelKind][] = [
  [/moderation|guard/, "moderation"],
  [/rerank/, "rerank"],
  [/embed|(^|\/)(bge|e5|gte)-/, "embedding"],
  [/whisper|transcri|paraformer|sensevoice|[-_]asr/, "transcription"],
  [/(^|[-_/])tts|speech|cosyvoice/, "speech"],
  [/sora|(^|\/)veo|video|[ti]2v|seedance|kling/, "video"],
  [/dall-e|image|(^|\/)flux|stable-diffusion|seedream|cogview|t2i|^wanx?\d/, "image"],
  [/audio/, "speech"],
];

/** null: the gateway has no call for it. */
export function kindByName(name: string): ModelKind | null {
  const lower = name.toLowerCase();
  if (NOT_SERVED.test(lower)) {
    return null;
  }
  return kinds.find(([match]) => match.test(lower))?.[1] ?? "chat";
}

/** The kind of calls that a channel takes for a model. null: none; only the OpenAI dialect has calls of every kind. */
export function kindAt(
  dialect: VendorApi,
  { name, kind }: { name: string; kind: ModelKind | null },
): ModelKind | null {
  if (!converses(dialect)) {
    return "video";
  }
  const found = kind ?? kindByName(name);
  return dialect === "openai" || found === "chat" ? found : null;
}
