import type { ComponentProps, ReactNode } from "react";
import { Segmented } from "../../../ui/segmented/segmented.tsx";
import { SettingRow } from "./setting-row.tsx";

type Props<T extends string> = Omit<ComponentProps<typeof Segmented<T>>, "label"> & {
  readonly title: string;
  /** What it changes, in a sentence. */
  readonly children: ReactNode;
};

/** A setting of one choice among a few, kept at once. */
export function ChoiceRow<T extends string>({ title, children, ...choice }: Props<T>) {
  return (
    <SettingRow title={title} stacked control={<Segmented {...choice} label={title} />}>
      <p>{children}</p>
    </SettingRow>
  );
}
