import { lazy, Suspense, useState } from "react";
import { FullLoader } from "../../ui/full-loader/full-loader.tsx";
import { LeaveGuard } from "../settings/leave-guard.tsx";
import { ChooseFile, type Refusal } from "./choose-file.tsx";
import { type Signed, SignedDocument } from "./signed-document.tsx";

/** The pages and what is put on them: there is nothing to show before a file. */
const PlaceSignature = lazy(async () => ({ default: (await import("./place-signature.tsx")).PlaceSignature }));

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
        <Suspense fallback={<FullLoader label="Ouverture du document" />}>
          <PlaceSignature
            file={stage.file}
            onLeave={() => setStage(START)}
            onRefused={(reason) => setStage({ kind: "choose", refusal: { name: stage.file.name, reason } })}
            onSigned={(signed) => setStage({ kind: "signed", signed })}
          />
        </Suspense>
      ) : null}
      {stage.kind === "signed" ? <SignedDocument signed={stage.signed} onAnother={() => setStage(START)} /> : null}
    </>
  );
}
