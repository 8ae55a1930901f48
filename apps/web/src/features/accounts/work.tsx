import type { ComponentProps } from "react";
import { LinkButton } from "../../ui/button/link-button.tsx";
import { useMayWork } from "./use-session.ts";

/** A link to an action, hidden from a reader, who only consults. */
export function WorkLink(props: ComponentProps<typeof LinkButton>) {
  return useMayWork() ? <LinkButton {...props} /> : null;
}
