import type { ComponentType } from "react";
import { AdjustDialog } from "./adjust-dialog";
import type { AccountChange } from "./changes";
import type { DialogProps } from "./dialog";
import { EraseDialog } from "./erase-dialog";
import { LimitsDialog } from "./limits-dialog";
import { RenameDialog } from "./rename-dialog";
import { SetQuotaDialog } from "./set-quota-dialog";
import { DisableDialog, EnableDialog } from "./status-dialogs";
import { TopUpDialog } from "./top-up-dialog";

const dialogs: Record<AccountChange, ComponentType<DialogProps>> = {
  "top-up": TopUpDialog,
  adjust: AdjustDialog,
  quota: SetQuotaDialog,
  limits: LimitsDialog,
  rename: RenameDialog,
  disable: DisableDialog,
  enable: EnableDialog,
  erase: EraseDialog,
};

export function AccountDialog({ change, ...props }: DialogProps & { change: AccountChange }) {
  const Dialog = dialogs[change];
  return <Dialog {...props} />;
}
