import { lazyDialog } from "../../../ui/dialog/lazy-dialog.tsx";

export const MarkDialog = lazyDialog(
  async () => (await import("./signature-dialog.tsx")).SignatureDialog,
);
