import { Anchor, Group, Progress, Stack, Text } from "@mantine/core";
import Link from "next/link";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import type { ModelKind } from "@/server/domain/enums";
import { Card } from "../../_components/cards/card";
import { useInstallation } from "../../_components/text/installation";
import { noteOf, type RouteTier } from "../channel";
import { StateBadge } from "../channel-state";

type RouteKind = ModelKind | null;
type WayProps = { way: RouteTier["ways"][number]; kind: RouteKind; hasShares: boolean };

function Way({ way, kind, hasShares }: WayProps) {
  const t = useTranslations("channels");
  const { operationsByKind } = useInstallation();
  const note = noteOf(way, kind && operationsByKind[kind]);
  const share = t("share", { share: way.share });
  const showsShare = way.isEnabled && hasShares;
  return (
    <Stack gap={6} component="li">
      <Group justify="space-between" gap="xs">
        <Group gap="xs">
          <Anchor component={Link} href={addresses.channel(way.channelId)} fw={600} className="wrap-anywhere">
            {way.name}
          </Anchor>
          <StateBadge state={way.state} />
        </Group>
        {showsShare && <Text size="sm">{share}</Text>}
      </Group>
      {showsShare && <Progress value={way.share * 100} aria-label={share} />}
      <Text size="sm" c="dimmed" className="wrap-anywhere">
        {way.dialect} · {t("asUpstream", { name: way.upstreamName })} ·{" "}
        {t("weightIs", { weight: way.weight })}
      </Text>
      {note && <Text size="sm">{t(`notes.${note}`)}</Text>}
    </Stack>
  );
}

/**
 * The tiers in the order in which they are tried; disabled ones come last. `hasShares`: whether the share of calls of
 * each channel in a tier is known.
 */
export function RouteTiers({
  tiers,
  ...wayProps
}: {
  tiers: RouteTier[];
  kind: RouteKind;
  hasShares: boolean;
}) {
  const t = useTranslations("channels");
  const titleOf = ({ ways, priority, isMovedOff }: RouteTier, place: number) => {
    if (!ways.some(({ isEnabled }) => isEnabled)) {
      return t("tierDisabled", { priority });
    }
    if (place > 0 && isMovedOff) {
      return t("tierMovedOff", { priority });
    }
    return t(place === 0 ? "tierFirst" : "tierNext", { priority });
  };
  return tiers.map((tier, place) => (
    <Card key={`${tier.isMovedOff} ${titleOf(tier, place)}`} title={titleOf(tier, place)}>
      <Stack component="ul" gap="lg" m={0} p={0} style={{ listStyle: "none" }}>
        {tier.ways.map((way) => (
          <Way key={way.channelId} way={way} {...wayProps} />
        ))}
      </Stack>
    </Card>
  ));
}
