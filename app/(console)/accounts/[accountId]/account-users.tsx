import { Button, Group, Stack, Text, Title } from "@mantine/core";
import { IconDots, IconPlus, IconShieldCheck, IconShieldOff } from "@tabler/icons-react";
import type { ColumnDef } from "@tanstack/react-table";
import dynamic from "next/dynamic";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { ActionMenu } from "../../_components/action-menu";
import { DataTable } from "../../_components/data-table";
import { Moment } from "../../_components/moment";
import { piece } from "../../_components/piece";
import { StatusBadge } from "../../_components/status-badge";
import type { Account, AccountUser } from "../account";
import type { UserChange } from "./user-dialogs";

const UserDialog = dynamic(
  piece(() => import("./user-dialogs").then((module) => module.UserDialog)),
  {
    ssr: false,
  },
);
const AddUser = dynamic(
  piece(() => import("./add-user").then((module) => module.AddUser)),
  { ssr: false },
);

type Choose = (chosen: { user: AccountUser; change: UserChange }) => void;

function UserMenu({ user, choose }: { user: AccountUser; choose: Choose }) {
  const t = useTranslations("accounts");
  const common = useTranslations("common");
  const changes = (["resetPassword", "resetTotp", "signOut"] as const).filter(
    (change) => change !== "resetTotp" || user.hasTotp,
  );
  return (
    <ActionMenu
      label={common("moreActions", { name: user.email })}
      icon={<IconDots size={18} aria-hidden />}
      entries={changes.map((change) => ({
        label: t(change),
        onChoose: () => choose({ user, change }),
      }))}
    />
  );
}

function SecondFactor({ user }: { user: AccountUser }) {
  const t = useTranslations("accounts");
  return user.hasTotp ? (
    <Group gap="xs">
      <StatusBadge tone="good" icon={<IconShieldCheck size={12} />}>
        {t("totpOn")}
      </StatusBadge>
      <Text size="sm" c="dimmed">
        {t("codesLeft", { count: user.recoveryCodesLeft })}
      </Text>
    </Group>
  ) : (
    <StatusBadge tone="quiet" icon={<IconShieldOff size={12} />}>
      {t("totpOff")}
    </StatusBadge>
  );
}

function useColumns(choose: Choose): ColumnDef<AccountUser, unknown>[] {
  const t = useTranslations("accounts");
  const common = useTranslations("common");
  return [
    {
      id: "email",
      header: t("userEmail"),
      meta: { isRowHeader: true },
      cell: ({ row }) => <span className="wrap-anywhere">{row.original.email}</span>,
    },
    {
      id: "totp",
      header: t("secondFactor"),
      cell: ({ row }) => <SecondFactor user={row.original} />,
    },
    { id: "since", header: t("since"), cell: ({ row }) => <Moment at={row.original.createdAt} /> },
    {
      id: "actions",
      header: common("actions"),
      meta: { isFigure: true },
      cell: ({ row }) => <UserMenu user={row.original} choose={choose} />,
    },
  ];
}

export function AccountUsers({ account }: { account: Account }) {
  const t = useTranslations("accounts");
  const [chosen, setChosen] = useState<{ user: AccountUser; change: UserChange } | null>(null);
  const [isAdding, setAdding] = useState(false);
  const columns = useColumns(setChosen);
  return (
    <Stack component="section" gap="xs" aria-labelledby="users">
      <Group justify="space-between" align="flex-end">
        <div>
          <Title order={2} size="h4" id="users">
            {t("usersTitle")}
          </Title>
          <Text size="sm" c="dimmed">
            {account.users.length > 0 ? t("usersText") : t("usersEmpty")}
          </Text>
        </div>
        <Button
          variant="default"
          leftSection={<IconPlus size={16} aria-hidden />}
          onClick={() => setAdding(true)}
        >
          {t("addUser")}
        </Button>
      </Group>
      {account.users.length > 0 && (
        <DataTable label={t("usersTitle")} columns={columns} rows={account.users} rowId={(user) => user.id} />
      )}
      {isAdding && <AddUser accountId={account.id} onClose={() => setAdding(false)} />}
      {chosen && <UserDialog {...chosen} accountId={account.id} onClose={() => setChosen(null)} />}
    </Stack>
  );
}
