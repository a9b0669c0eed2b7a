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
import { may, sideOf } from "@/server/domain/roles";
import { onDemand } from "../_components/data/on-demand";
import { ActionMenu } from "../_components/fields/action-menu";
import type { Viewer } from "../_components/shell/navigation";
import { useMay, useViewer } from "../_components/shell/viewer";
import { type Column, DataTable } from "../_components/tables/data-table";
import { Dimmed } from "../_components/tables/dimmed";
import { StatusBadge } from "../_components/tables/status-badge";
import { Timestamp } from "../_components/text/timestamp";
import type { UserRow } from "./user";
import type { UserChange } from "./user-dialogs";

const UserDialog = onDemand(() => import("./user-dialogs").then((module) => module.UserDialog));

type Choose = (chosen: { user: UserRow; change: UserChange }) => void;

/**
 * The changes that the viewer may make to a user. To themselves they can only end their sessions here; the rest is
 * under Security, with a proof. Only an admin may change operators.
 */
function changesOf(user: UserRow, viewer: Viewer): UserChange[] {
  const mayWrite = may(viewer.role, "people.write");
  const isActive = user.status === "active";
  if (user.id === viewer.id) {
    return ["signOut"];
  }
  if (!may(viewer.role, "people.reset") || (user.accountId === null && !mayWrite)) {
    return [];
  }
  const isAdmin = mayWrite && sideOf(viewer.role) === "operator";
  return [
    // A link that sets an owner's password gives access to the account.
    ...(isActive && (mayWrite || user.role !== "owner") ? (["newLink"] as const) : []),
    ...(isAdmin && user.hasTotp ? (["resetTotp"] as const) : []),
    ...(isAdmin && user.linkedTo !== null ? (["unlink"] as const) : []),
    "signOut",
    ...(mayWrite ? (["role", isActive ? "disable" : "enable", "remove"] as const) : []),
    ...(isAdmin ? (["erase"] as const) : []),
  ];
}

function UserMenu({ user, choose }: { user: UserRow; choose: Choose }) {
  const t = useTranslations("users");
  const common = useTranslations("common");
  const viewer = useViewer();
  const nameOf = (change: UserChange) =>
    change === "newLink"
      ? t(user.hasPassword ? "resetPassword" : "inviteAgain")
      : t(change === "role" ? "changeRole" : change);
  const changes = changesOf(user, viewer);
  return changes.length === 0 ? null : (
    <ActionMenu
      label={common("moreActions", { name: user.email })}
      icon={<IconDots size={18} aria-hidden />}
      entries={changes.map((change) => ({
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

function useColumns(choose: Choose): Column<UserRow>[] {
  const t = useTranslations("users");
  const viewer = useViewer();
  const mayChange = useMay("people.reset");
  const columns: Column<UserRow>[] = [
    {
      id: "email",
      header: t("email"),
      isRowHeader: true,
      value: ({ email }) => email,
      cell: (user) => (
        <span className="cut-email" title={user.email}>
          {user.email} {user.id === viewer.id && t("you")}
        </span>
      ),
    },
  ];
  columns.push(
    { id: "role", header: t("role"), cell: (user) => t(`role_${user.role}`) },
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

type Props = { label: string; users: UserRow[] };

/** Users, and the possible changes of each. */
export function UserTable({ label, users }: Props) {
  const [chosen, setChosen] = useState<{ user: UserRow; change: UserChange } | null>(null);
  const columns = useColumns(setChosen);
  return (
    <>
      <DataTable label={label} columns={columns} rows={users} rowId={(user) => user.id} />
      {chosen && <UserDialog {...chosen} onClose={() => setChosen(null)} />}
    </>
  );
}
