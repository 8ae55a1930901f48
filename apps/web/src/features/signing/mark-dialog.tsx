import { lazy, Suspense } from "react";
import type { SignatureDialogProps } from "./signature-dialog.tsx";

const SignatureDialog = lazy(async () => ({ default: (await import("./signature-dialog.tsx")).SignatureDialog }));

/** The signature dialog, loaded when it is first opened. */
export function MarkDialog(props: SignatureDialogProps) {
  return (
    <Suspense fallback={null}>
      <SignatureDialog {...props} />
    </Suspense>
  );
}
