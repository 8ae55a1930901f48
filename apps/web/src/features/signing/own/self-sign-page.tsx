import { useState } from "react";
import { lazyStep } from "../../../ui/lazy-step/lazy-step.tsx";
import { LeaveGuard } from "../../accounts/settings/leave-guard.tsx";
import { ChooseFile, type Refusal } from "./choose-file.tsx";
import { type Signed, SignedDocument } from "./signed-document.tsx";

/** The pages and what is put on them: there is nothing to show before a file. */
const PlaceSignature = lazyStep(async () => (await import("./place-signature.tsx")).PlaceSignature, "Ouverture du document");

type Stage =
  | { readonly kind: "choose"; readonly refusal: Refusal | null }
  | { readonly kind: "place"; readonly file: File }
  | { readonly kind: "signed"; readonly signed: Signed };

const START: Stage = { kind: "choose", refusal: null };

/** `/signature/self-sign`: drop a PDF, put one's signature on it, take it signed. */
export function SelfSignPage() {
  const [stage, setStage] = useState<Stage>(START);
  return (
    <>
      <LeaveGuard dirty={stage.kind === "place"} title={"Quitter sans signer\u202f?"} message="Le document ne sera pas conservé." />
      {stage.kind === "choose" ? <ChooseFile refusal={stage.refusal} onFile={(file) => setStage({ kind: "place", file })} /> : null}
      {stage.kind === "place" ? (
        <PlaceSignature
          file={stage.file}
          onLeave={() => setStage(START)}
          onRefused={(reason) => setStage({ kind: "choose", refusal: { name: stage.file.name, reason } })}
          onSigned={(signed) => setStage({ kind: "signed", signed })}
        />
      ) : null}
      {stage.kind === "signed" ? <SignedDocument signed={stage.signed} onAnother={() => setStage(START)} /> : null}
    </>
  );
}
