import type { ProofFile } from "@paraphe/contracts";
import { useState } from "react";
import { callMessage } from "../../../lib/call-message.ts";
import { formatExactInstant } from "../../../lib/format-dates.ts";
import { Alert } from "../../../ui/alert/alert.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { KeyValue } from "../../../ui/key-value/key-value.tsx";
import { loadProofFile } from "./proof-calls.ts";
import styles from "./proof-cards.module.css";
import { formatSerial } from "./revocation-word.ts";

type Signatures = ProofFile["proof"]["signatures"];
type State =
  | { readonly step: "none" | "loading" }
  | { readonly step: "done"; readonly signatures: Signatures }
  | { readonly step: "failed"; readonly text: string };

/** The certificate of each signature, asked for when somebody wants them: they come with the whole proof, made anew. */
export function AllCertificates({ uuid, sig }: { readonly uuid: string; readonly sig: string }) {
  const [state, setState] = useState<State>({ step: "none" });
  const load = async () => {
    setState({ step: "loading" });
    setState(
      await loadProofFile(uuid, sig).then(
        ({ proof }): State => ({ step: "done", signatures: oneEach(proof.signatures) }),
        (error: unknown): State => ({ step: "failed", text: callMessage(error, "Les certificats n’ont pas pu être chargés. Réessayez.") }),
      ),
    );
  };
  return (
    <>
      {state.step === "failed" ? <Alert tone="warning">{state.text}</Alert> : null}
      {state.step === "done" ? (
        <div className={styles["technical"]}>
          {state.signatures.map((signature) => (
            <OneCertificate key={signature.serial_number} signature={signature} />
          ))}
        </div>
      ) : (
        <div className={styles["tool"]}>
          <Button size="sm" loading={state.step === "loading"} onClick={() => void load()}>
            Voir tous les certificats
          </Button>
        </div>
      )}
    </>
  );
}

/** One act signs several files with one certificate. */
function oneEach(signatures: Signatures): Signatures {
  return signatures.filter(({ serial_number }, index) => signatures.findIndex((other) => other.serial_number === serial_number) === index);
}

const WORDS = { valid: "Valide", indeterminate: "Indéterminé", invalid: "Non valide" } as const;

function OneCertificate({ signature }: { readonly signature: Signatures[number] }) {
  const { signer_name, verdict, reason, serial_number, level, timestamp } = signature;
  return (
    <details>
      <summary>
        <span className="grow break">{signer_name}</span>
        <span className="ink2">{WORDS[verdict]}</span>
      </summary>
      <div className={styles["facts"]}>
        <KeyValue
          entries={[
            ["Verdict", reason],
            [
              "Numéro de série",
              <span key="serial" className="mono break">
                {formatSerial(serial_number)}
              </span>,
            ],
            ["Niveau", level === null ? "Non établi" : `PAdES ${level}`],
            ["Horodatage", timestamp === null ? "Aucun" : `${formatExactInstant(timestamp.time)}, par ${timestamp.tsa} (non qualifié)`],
          ]}
        />
      </div>
    </details>
  );
}
