import type { Envelope } from "@paraphe/contracts";
import { Radio } from "../../ui/checkbox/checkbox.tsx";
import { PUBLIC_PAGE } from "./prepare/sending/public-page-words.ts";
import { envelopeCalls } from "./envelope-calls.ts";
import { SettingDialog } from "./setting-dialog.tsx";

type Props = { readonly envelope: Envelope; readonly onClose: () => void };

const CHOICES = [
  { value: false, ...PUBLIC_PAGE.visible },
  { value: true, ...PUBLIC_PAGE.proofOnly },
] as const;

/** Chooses what whoever scans a printed code is shown. */
export function PublicPageDialog({ envelope, onClose }: Props) {
  return (
    <SettingDialog
      title="Page publique"
      start={envelope.proof_only ?? false}
      save={(proofOnly) => envelopeCalls.changePublicPage(envelope.id, proofOnly)}
      saved={(proofOnly) =>
        proofOnly
          ? "La page publique ne montre que la preuve"
          : "La page publique montre le document"
      }
      failed="La page publique n’a pas été changée. Réessayez."
      onClose={onClose}
    >
      {(proofOnly, onChange) => (
        <fieldset className="stack stack--sm">
          <legend className="h3">Ce que montre le QR code</legend>
          {CHOICES.map(({ value, label, words }) => (
            <Radio
              key={label}
              name="public-page"
              value={String(value)}
              checked={proofOnly === value}
              onChange={() => onChange(value)}
              label={
                <>
                  {label}
                  <br />
                  <span className="muted small">{words}</span>
                </>
              }
            />
          ))}
        </fieldset>
      )}
    </SettingDialog>
  );
}
