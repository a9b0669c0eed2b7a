/** The form of a channel: its values, their problems, and the request made from them. Pure. */

import { ChannelSettings, Credential } from "@/server/channels/settings/schema";
import type { VendorApi } from "@/server/domain/enums";
import { isPair, takesPairs } from "@/server/domain/key-pairs";
import type { ChannelDetail, ChannelEdit, NewChannel, Overrides } from "./channel";

/** A kept credential has its index; a new one has the typed secret. `id` tells rows apart. */
export type CredentialDraft = { id: number; keep: { index: number; hint: string } | null; secret: string };

/** An empty upstream name means the public name. */
export type ModelDraft = { id: number; modelId: string; upstreamName: string; overrides: Overrides };

/** Everything as it is typed. `vendor`: "" for an upstream without a preset. */
export type ChannelDraft = {
  name: string;
  vendor: string;
  dialect: VendorApi;
  baseUrl: string;
  credentials: CredentialDraft[];
  models: ModelDraft[];
  priority: string;
  weight: string;
  maxTasks: string;
  timeoutSeconds: string;
  idleTimeoutSeconds: string;
};

let rows = 0;

export const newCredential = (): CredentialDraft => ({ id: ++rows, keep: null, secret: "" });
export const newModel = (modelId = ""): ModelDraft => ({
  id: ++rows,
  modelId,
  upstreamName: "",
  overrides: {},
});

export const emptyDraft = (): ChannelDraft => ({
  name: "",
  vendor: "",
  dialect: "openai",
  baseUrl: "",
  credentials: [newCredential()],
  models: [newModel()],
  priority: "0",
  weight: "1",
  maxTasks: "",
  timeoutSeconds: "",
  idleTimeoutSeconds: "",
});

const written = (value: number | null) => (value === null ? "" : String(value));

export const draftOf = (channel: ChannelDetail): ChannelDraft => ({
  name: channel.name,
  vendor: channel.vendor ?? "",
  dialect: channel.dialect,
  baseUrl: channel.baseUrl,
  credentials: channel.credentialHints.map((hint, index) => ({
    id: ++rows,
    keep: { index, hint },
    secret: "",
  })),
  models: channel.models.map(({ modelId, upstreamName, overrides }) => ({
    id: ++rows,
    modelId,
    upstreamName,
    overrides,
  })),
  priority: String(channel.priority),
  weight: String(channel.weight),
  maxTasks: written(channel.maxTasks),
  timeoutSeconds: written(channel.timeoutSeconds),
  idleTimeoutSeconds: written(channel.idleTimeoutSeconds),
});

/** The problem of a wrong number, by field. */
const numberProblems = {
  priority: "priority",
  weight: "weight",
  maxTasks: "maxTasks",
  timeoutSeconds: "seconds",
  idleTimeoutSeconds: "seconds",
} as const;
type NumberField = keyof typeof numberProblems;

/** Names of texts. `credentials` and `models`: by row. */
export type ChannelProblems = { [Field in NumberField]?: (typeof numberProblems)[Field] } & {
  name?: "nameMissing" | "nameLong";
  baseUrl?: "baseUrl";
  credentials: Map<number, "secret" | "secretPair">;
  models: Map<number, "modelMissing" | "modelTwice" | "modelLong">;
};

const wholeNumber = (text: string) => (/^-?\d+$/.test(text.trim()) ? Number(text) : Number.NaN);
const optionalNumber = (text: string) => (text.trim() === "" ? null : wholeNumber(text));
const isHttp = (text: string) => URL.canParse(text) && ["http:", "https:"].includes(new URL(text).protocol);

const MAX_NAME_CHARACTERS = 256;

const isBlank = ({ modelId, upstreamName }: ModelDraft) =>
  modelId.trim() === "" && upstreamName.trim() === "";

function modelProblems(models: ModelDraft[]): ChannelProblems["models"] {
  const problems: ChannelProblems["models"] = new Map();
  const modelIds = new Set<string>();
  for (const model of models.filter((row) => !isBlank(row))) {
    const modelId = model.modelId.trim();
    if (modelId === "") {
      problems.set(model.id, "modelMissing");
    } else if (modelIds.has(modelId)) {
      problems.set(model.id, "modelTwice");
    } else if (Math.max(modelId.length, model.upstreamName.trim().length) > MAX_NAME_CHARACTERS) {
      problems.set(model.id, "modelLong");
    }
    modelIds.add(modelId);
  }
  return problems;
}

function credentialProblems({ credentials, dialect }: ChannelDraft): ChannelProblems["credentials"] {
  const problems: ChannelProblems["credentials"] = new Map();
  for (const { id, secret } of credentials.filter(({ keep }) => keep === null)) {
    if (!Credential.safeParse(secret).success) {
      problems.set(id, "secret");
    } else if (takesPairs(dialect) && !isPair(secret)) {
      problems.set(id, "secretPair");
    }
  }
  return problems;
}

/** The value of `problemsOf` for a draft without problems. */
export const noProblems: ChannelProblems = { credentials: new Map(), models: new Map() };

/** The problems that keep a draft from being sent. */
export function problemsOf(draft: ChannelDraft): ChannelProblems {
  const { shape } = ChannelSettings;
  const settings = settingsOf(draft);
  const isWrong = (field: NumberField) => !shape[field].safeParse(settings[field]).success;
  const problems: ChannelProblems = {
    ...Object.fromEntries(Object.entries(numberProblems).filter(([field]) => isWrong(field as NumberField))),
    credentials: credentialProblems(draft),
    models: modelProblems(draft.models),
  };
  if (!shape.name.safeParse(draft.name).success) {
    problems.name = draft.name.trim() === "" ? "nameMissing" : "nameLong";
  }
  // The sandbox needs no address.
  if (draft.dialect !== "sandbox" && !isHttp(draft.baseUrl.trim())) {
    problems.baseUrl = "baseUrl";
  }
  return problems;
}

const originOf = (text: string) => (URL.canParse(text) ? new URL(text).origin : text);

/** Whether credentials must be typed again: a stored credential is only sent to the origin that it was entered for. */
export const wantsNewCredentials = (draft: ChannelDraft, channel: ChannelDetail): boolean =>
  originOf(draft.baseUrl.trim()) !== originOf(channel.baseUrl) &&
  draft.credentials.some(({ keep }) => keep !== null);

const settingsOf = (draft: ChannelDraft) => ({
  name: draft.name.trim(),
  vendor: draft.vendor || null,
  baseUrl: draft.baseUrl.trim(),
  priority: wholeNumber(draft.priority),
  weight: wholeNumber(draft.weight),
  maxTasks: optionalNumber(draft.maxTasks),
  timeoutSeconds: optionalNumber(draft.timeoutSeconds),
  idleTimeoutSeconds: optionalNumber(draft.idleTimeoutSeconds),
});

const modelsOf = (draft: ChannelDraft): NewChannel["models"] =>
  draft.models
    .filter((model) => !isBlank(model))
    .map(({ modelId, upstreamName, overrides }) => ({
      modelId: modelId.trim(),
      upstreamName: upstreamName.trim() || modelId.trim(),
      overrides,
    }));

/** The newly typed secrets, in order. */
export const secretsOf = ({ credentials }: ChannelDraft): string[] =>
  credentials.filter(({ keep }) => keep === null).map(({ secret }) => secret.trim());

/** A draft without problems as the request for a new channel. */
export const channelOf = (draft: ChannelDraft): NewChannel => ({
  ...settingsOf(draft),
  dialect: draft.dialect,
  secrets: secretsOf(draft),
  models: modelsOf(draft),
});

const isSame = (left: unknown, right: unknown) => JSON.stringify(left) === JSON.stringify(right);

/** Only the changed members, so that another operator's changes in the meantime stay. */
export function editOf(draft: ChannelDraft, before: ChannelDraft): Omit<ChannelEdit, "channelId"> {
  const was = settingsOf(before);
  const changed = Object.entries(settingsOf(draft)).filter(
    ([field, value]) => !isSame(value, was[field as keyof typeof was]),
  );
  const credentials = draft.credentials.map(({ keep, secret }) =>
    keep ? { keep: keep.index } : { secret: secret.trim() },
  );
  const kept = before.credentials.map((_, index) => ({ keep: index }));
  return {
    ...Object.fromEntries(changed),
    ...(!isSame(credentials, kept) && { secrets: credentials }),
    ...(!isSame(modelsOf(draft), modelsOf(before)) && { models: modelsOf(draft) }),
  };
}

/** The draft after choosing a preset, with its dialect and address. Without a preset, typed values stay. */
export function withVendor(
  draft: ChannelDraft,
  vendor: { id: string; dialect: VendorApi; baseUrl: string | null } | null,
): ChannelDraft {
  return vendor
    ? { ...draft, vendor: vendor.id, dialect: vendor.dialect, baseUrl: vendor.baseUrl ?? "" }
    : { ...draft, vendor: "" };
}
