import { Loader, Switch, type SwitchProps } from "@mantine/core";

type Props = Omit<SwitchProps, "checked" | "onChange" | "thumbIcon"> & {
  /** The server's state. */
  isOn: boolean;
  /** Whether the server has been asked for the other one. */
  isPending: boolean;
  onSwitch: (isOn: boolean) => void;
};

/** A switch that shows what holds, never what is only wished for: it turns when the server has. */
export function PendingSwitch({ isOn, isPending, onSwitch, ...look }: Props) {
  return (
    <Switch
      {...look}
      checked={isOn}
      aria-busy={isPending}
      thumbIcon={isPending ? <Loader size={10} aria-hidden /> : undefined}
      onChange={(event) => {
        if (!isPending) {
          onSwitch(event.currentTarget.checked);
        }
      }}
    />
  );
}
