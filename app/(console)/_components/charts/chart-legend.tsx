import { ColorSwatch, Group, Text, UnstyledButton } from "@mantine/core";
import { useState } from "react";

/** A part of a chart: its key in the data, its name, and its colour of the theme. */
export type Drawn = { name: string; label: string; color: string };

/** A colour of the theme (`brand.6`) as a CSS variable. */
export const variable = (color: string) => `var(--mantine-color-${color.replace(".", "-")})`;

/** The parts of a chart that are shown. A part of another name, such as after a change of the filter, is shown. */
export function useLegend(drawn: Drawn[]) {
  const [labels, setLabels] = useState<ReadonlySet<string>>(new Set());
  const hidden = new Set(drawn.filter(({ label }) => labels.has(label)).map(({ name }) => name));
  return {
    hidden,
    shown: drawn.filter(({ name }) => !hidden.has(name)),
    toggle: ({ label }: Drawn) =>
      setLabels(
        new Set(labels.has(label) ? [...labels].filter((each) => each !== label) : [...labels, label]),
      ),
  };
}

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
