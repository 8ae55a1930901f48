import type { ComponentProps } from "react";

type Props = Pick<
  ComponentProps<"input">,
  "accept" | "capture" | "disabled" | "multiple" | "ref"
> & {
  readonly label: string;
  readonly onTake: (files: readonly File[]) => void;
};

/** Emptied at each choice, so that the same file can be chosen again. */
export function FileInput({ label, onTake, ...rest }: Props) {
  return (
    <input
      {...rest}
      type="file"
      className="sr"
      tabIndex={-1}
      aria-label={label}
      onChange={(event) => {
        onTake([...(event.target.files ?? [])]);
        event.target.value = "";
      }}
    />
  );
}
