import { ColorSwatch, Group, Text, UnstyledButton } from "@mantine/core";
import type { Drawn } from "./use-legend";

/** A colour of the theme (`brand.6`) as a CSS variable. */
export const variable = (color: string) => `var(--mantine-color-${color.replace(".", "-")})`;

type Props = { drawn: Drawn[]; hidden: ReadonlySet<string>; onToggle: (part: Drawn) => void };

/**
 * The names wrap below the plot, each cut to one line, so that they never take its room. A click hides a part, or shows
 * it again.
 */
export const Legend = ({ drawn, hidden, onToggle }: Props) => (
  <Group component="ul" gap="md" m={0} p={0} style={{ listStyle: "none" }}>
    {drawn.map((part) => (
      <li key={part.name}>
        <UnstyledButton
          className="legend-part"
          title={part.label}
          aria-pressed={!hidden.has(part.name)}
          onClick={() => onToggle(part)}
        >
          <ColorSwatch size={12} color={variable(part.color)} withShadow={false} />
          <Text size="xs" truncate>
            {part.label}
          </Text>
        </UnstyledButton>
      </li>
    ))}
  </Group>
);
