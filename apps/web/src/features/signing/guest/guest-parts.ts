import type { ComponentType } from "react";
import { PageLabelBar } from "../../../pdf/page-label-bar.tsx";
import type { PdfToolbarProps } from "../../../pdf/pdf-toolbar.tsx";
import { type MoreAction, MoreActions } from "./more-actions.tsx";

/** Loaded by the guest's page alone: the member's does not carry it. */
export type GuestParts = {
  readonly Menu: ComponentType<{ readonly actions: readonly MoreAction[] }>;
  readonly Bar: ComponentType<PdfToolbarProps>;
};

export const guestParts: GuestParts = { Menu: MoreActions, Bar: PageLabelBar };
