/** The first step of a new channel: a vendor and a key. Pure. */
import { Credential } from "@/server/channels/settings/schema";
import { isPair, takesPairs } from "@/server/domain/key-pairs";
import type { ChannelChoices } from "../channel";
import type { ChannelDraft } from "../channel-draft";

type Vendors = ChannelChoices["vendors"];

/** `isElsewhere`: the vendor's address is typed, for a proxy. */
export type SourceDraft = Pick<ChannelDraft, "vendor" | "dialect" | "baseUrl"> & {
  secret: string;
  isElsewhere: boolean;
};

export const emptySource: SourceDraft = {
  vendor: "",
  dialect: "openai",
  baseUrl: "",
  secret: "",
  isElsewhere: false,
};

/** The draft with a typed key. A key that begins as only one vendor's do names that vendor, if none is chosen. */
export function withSecret(draft: SourceDraft, secret: string, vendors: Vendors): SourceDraft {
  const vendor = vendors.find(({ keyPrefix }) => keyPrefix !== null && secret.trim().startsWith(keyPrefix));
  const isNamed = vendor && draft.vendor === "" && draft.baseUrl.trim() === "";
  return isNamed ? { ...withPreset(draft, vendor), secret } : { ...draft, secret };
}

/** The draft at a preset, with its dialect and address; null: without one, typed values stay. */
export const withPreset = (draft: SourceDraft, vendor: Vendors[number] | null): SourceDraft =>
  vendor
    ? { ...draft, vendor: vendor.id, dialect: vendor.dialect, baseUrl: vendor.baseUrl ?? "" }
    : { ...draft, vendor: "" };

export type SourceProblems = {
  secret?: "secretMissing" | "secret" | "secretPair";
  baseUrl?: "baseUrl" | "vendorMissing";
};

export function sourceProblemsOf({ secret, dialect, baseUrl, vendor }: SourceDraft): SourceProblems {
  const problems: SourceProblems = {};
  if (secret.trim() === "") {
    problems.secret = "secretMissing";
  } else if (!Credential.safeParse(secret).success) {
    problems.secret = "secret";
  } else if (takesPairs(dialect) && !isPair(secret)) {
    problems.secret = "secretPair";
  }
  if (!/^https?:\/\//.test(baseUrl.trim()) || !URL.canParse(baseUrl.trim())) {
    problems.baseUrl = vendor === "" && baseUrl.trim() === "" ? "vendorMissing" : "baseUrl";
  }
  return problems;
}

/** The members of a request that name the endpoint. */
export const endpointOf = ({ vendor, dialect, baseUrl }: SourceDraft) => ({
  vendor: vendor || null,
  dialect,
  baseUrl: baseUrl.trim(),
});
