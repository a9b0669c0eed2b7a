import { Group } from "@mantine/core";
import {
  IconBan,
  IconCircleCheck,
  IconDots,
  IconMailForward,
  IconShieldCheck,
  IconShieldOff,
} from "@tabler/icons-react";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { ActionMenu } from "../_components/action-menu";
import { type Column, DataTable } from "../_components/data-table";
import { Dimmed } from "../_components/dimmed";
import { onDemand } from "../_components/on-demand";
import { StatusBadge } from "../_components/status-badge";
import { Timestamp } from "../_components/timestamp";
import { useMayChange, useViewer } from "../_components/viewer";
import type { UserRow } from "./user";
import type { UserChange } from "./user-dialogs";

const UserDialog = onDemand(() => import("./user-dialogs").then((module) => module.UserDialog));

type Choose = (chosen: { user: UserRow; change: UserChange }) => void;

/**
 * What may be done to somebody. To themselves they end their sessions here; the rest is under Security, with a proof.
 */
function changesOf(user: UserRow, viewerId: string): UserChange[] {
  const isActive = user.status === "active";
  if (user.id === viewerId) {
    return ["signOut"];
  }
  const role: UserChange[] =
    user.role === "owner" ? [] : [user.role === "viewer" ? "makeOperator" : "makeViewer"];
  return [
    ...(isActive ? (["newLink"] as const) : []),
    ...(user.hasTotp ? (["resetTotp"] as const) : []),
    ...(user.linkedTo === null ? [] : (["unlink"] as const)),
    "signOut",
    ...role,
    isActive ? "disable" : "enable",
    "remove",
    "erase",
  ];
}

function UserMenu({ user, choose }: { user: UserRow; choose: Choose }) {
  const t = useTranslations("users");
  const common = useTranslations("common");
  const viewer = useViewer();
  const nameOf = (change: UserChange) =>
    change === "newLink" ? t(user.hasPassword ? "resetPassword" : "inviteAgain") : t(change);
  return (
    <ActionMenu
      label={common("moreActions", { name: user.email })}
      icon={<IconDots size={18} aria-hidden />}
      entries={changesOf(user, viewer.id).map((change) => ({
        label: nameOf(change),
        isDanger: change === "remove" || change === "erase",
        onChoose: () => choose({ user, change }),
      }))}
    />
  );
}

function State({ user }: { user: UserRow }) {
  const t = useTranslations("users");
  if (user.status === "disabled") {
    return (
      <StatusBadge tone="bad" icon={IconBan}>
        {t("disabled")}
      </StatusBadge>
    );
  }
  if (user.linkedTo !== null && !user.mustChangePassword) {
    return (
      <StatusBadge tone="good" icon={IconCircleCheck}>
        {t("linked")}
      </StatusBadge>
    );
  }
  return user.hasPassword ? (
    <StatusBadge tone="good" icon={IconCircleCheck}>
      {t(user.mustChangePassword ? "mustChange" : "active")}
    </StatusBadge>
  ) : (
    <StatusBadge tone="warn" icon={IconMailForward}>
      {t("invited")}
    </StatusBadge>
  );
}

function SecondFactor({ user }: { user: UserRow }) {
  const t = useTranslations("users");
  return user.hasTotp ? (
    <Group gap="xs">
      <StatusBadge tone="good" icon={IconShieldCheck}>
        {t("totpOn")}
      </StatusBadge>
      <Dimmed>{t("codesLeft", { count: user.recoveryCodesLeft })}</Dimmed>
    </Group>
  ) : (
    <StatusBadge tone="quiet" icon={IconShieldOff}>
      {t("totpOff")}
    </StatusBadge>
  );
}

function useColumns(hasRoles: boolean, choose: Choose): Column<UserRow>[] {
  const t = useTranslations("users");
  const viewer = useViewer();
  const mayChange = useMayChange();
  const columns: Column<UserRow>[] = [
    {
      id: "email",
      header: t("email"),
      isRowHeader: true,
      value: ({ email }) => email,
      cell: (user) => (
        <span className="wrap-anywhere">
          {user.email} {user.id === viewer.id && t("you")}
        </span>
      ),
    },
  ];
  if (hasRoles) {
    columns.push({ id: "role", header: t("role"), cell: (user) => t(`role_${user.role}`) });
  }
  columns.push(
    { id: "state", header: t("state"), onPhone: "bare", cell: (user) => <State user={user} /> },
    { id: "totp", header: t("secondFactor"), cell: (user) => <SecondFactor user={user} /> },
    {
      id: "since",
      header: t("since"),
      value: ({ createdAt }) => createdAt,
      cell: (user) => <Timestamp at={user.createdAt} short />,
    },
  );
  if (mayChange) {
    columns.push({
      id: "actions",
      header: null,
      isFigure: true,
      cell: (user) => <UserMenu user={user} choose={choose} />,
    });
  }
  return columns;
}

type Props = { label: string; users: UserRow[]; hasRoles: boolean };

/** People who may sign in, and what may be done to each. */
export function UserTable({ label, users, hasRoles }: Props) {
  const [chosen, setChosen] = useState<{ user: UserRow; change: UserChange } | null>(null);
  const columns = useColumns(hasRoles, setChosen);
  return (
    <>
      <DataTable label={label} columns={columns} rows={users} rowId={(user) => user.id} />
      {chosen && <UserDialog {...chosen} onClose={() => setChosen(null)} />}
    </>
  );
}
