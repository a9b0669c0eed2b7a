import { Anchor, Group, Text } from "@mantine/core";
import { IconTrendingUp } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import type { ReactNode } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { useTRPC } from "../_components/data/trpc";
import type { SpanParameters } from "../_components/fields/span-parameters";
import { useAmount } from "../_components/text/use-amount";
import { type UnusualDay, unusualDayQueries } from "./unusual";
import { callsOf, type UsageSide, usageOf } from "./usage-filter";

type Props = { side: UsageSide; account: string | null; span: SpanParameters };

const To = ({ href, children }: { href: string; children: ReactNode }) => (
  <Anchor component={Link} href={href} inherit underline="always">
    {children}
  </Anchor>
);

/** How far above the usual the day is, and the key and model with the largest part of it. */
function Sentence({ side, account, unusual }: Omit<Props, "span"> & { unusual: UnusualDay }) {
  const t = useTranslations("usage.unusual");
  const usage = useTranslations("usage");
  const format = useFormatter();
  const amount = useAmount("short");
  const { day, isToday, times, usual, part, start, end } = unusual;
  const view = { by: "key_model", account, measure: "cost", view: "chart" } as const;
  const calls = (within: Parameters<typeof callsOf>[2]) =>
    callsOf({ ...view, side }, part && `${part.keyId} ${part.modelId}`, within);
  const name = part && [
    part.key || part.keyId || usage("nameless.key"),
    part.modelId || usage("nameless.model"),
  ];
  return (
    <>
      {t.rich(times === null ? "aboveNothing" : "aboveUsual", {
        side,
        isToday: String(isToday),
        date: format.dateTime(new Date(day), { timeZone: "UTC", day: "numeric", month: "short" }),
        times: format.number(times ?? 0, { maximumFractionDigits: (times ?? 0) < 10 ? 1 : 0 }),
        usual: amount(usual),
        amount: amount(unusual.amount),
        day: (text) => <To href={usageOf(side, { from: day, to: day }, view)}>{text}</To>,
      })}
      {part &&
        t.rich("part", {
          name: name?.join(" → ") ?? "",
          calls: part.calls,
          amount: amount(part.amount),
          link: (text) => <To href={calls({ from: start, until: end, sort: "-cost" })}>{text}</To>,
        })}
    </>
  );
}

/** One sentence about the last day of a span whose spend was far above the usual; nothing if there is none. */
export function UnusualDayNote({ side, account, span }: Props) {
  const queries = unusualDayQueries(useTRPC(), span, account);
  const isOwner = side === "owner";
  const own = useQuery({ ...queries.owner, enabled: isOwner });
  const accounts = useQuery({ ...queries.operator, enabled: !isOwner && account !== null });
  const unusual = isOwner ? own.data : accounts.data;
  return (
    unusual && (
      <Group gap="xs" wrap="nowrap" align="flex-start">
        <IconTrendingUp
          size={20}
          aria-hidden
          color="var(--mantine-color-orange-text)"
          style={{ flex: "none" }}
        />
        <Text>
          <Sentence {...{ side, account, unusual }} />
        </Text>
      </Group>
    )
  );
}
