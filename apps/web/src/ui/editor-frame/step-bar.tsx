import type { ComponentProps, ReactNode } from "react";
import { LinkButton } from "../button/link-button.tsx";
import { Icon } from "../icon/icon.tsx";
import { Stepper } from "../stepper/stepper.tsx";
import { EditorBar } from "./editor-bar.tsx";

type Props = {
  /** Names the bar. */
  readonly label: string;
  /** Where the cross leads, and its name. */
  readonly leave: { readonly to: string; readonly label: string };
  readonly title: string;
  readonly note: ReactNode;
  readonly steps: ComponentProps<typeof Stepper>;
  readonly buttons?: ReactNode;
};

/** The bar over an editor that goes by steps. */
export function StepBar({ leave, steps, buttons, ...bar }: Props) {
  return (
    <EditorBar
      {...bar}
      leave={
        <LinkButton to={leave.to} variant="ghost" square aria-label={leave.label}>
          <Icon name="close" />
        </LinkButton>
      }
      steps={<Stepper {...steps} />}
      buttons={buttons}
    />
  );
}
