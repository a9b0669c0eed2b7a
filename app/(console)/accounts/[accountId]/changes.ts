import type { Permission } from "@/server/domain/enums";

/** The changes that operators can make to an account, as the address names them. */
export const changes = [
  "top-up",
  "adjust",
  "quota",
  "limits",
  "rename",
  "disable",
  "enable",
  "erase",
] as const;

export type AccountChange = (typeof changes)[number];

export const needs: Record<AccountChange, Permission> = {
  "top-up": "money.write",
  adjust: "money.write",
  quota: "money.write",
  limits: "accounts.write",
  rename: "accounts.write",
  disable: "accounts.switch",
  enable: "accounts.switch",
  erase: "accounts.write",
};
