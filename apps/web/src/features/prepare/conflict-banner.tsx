import { callMessage } from "../../lib/call-message.ts";
import { formatInstant, formatTime, parisDay } from "../../lib/format-dates.ts";
import { Alert } from "../../ui/alert/alert.tsx";
import { Button } from "../../ui/button/button.tsx";
import { LinkButton } from "../../ui/button/link-button.tsx";
import { showToast } from "../../ui/toast/toast-store.ts";
import styles from "./conflict-banner.module.css";
import type { DraftKeeper } from "./draft-keeper.ts";
import type { SaveStatus } from "./draft-state.ts";

/** Says what keeps a draft from being saved, and offers the ways out. */
export function ConflictBanner({ status, keeper }: { status: SaveStatus; keeper: DraftKeeper }) {
  const attempt = (action: () => Promise<void>) => {
    action().catch((error: unknown) => showToast("err", callMessage(error, "Erreur réseau ou serveur injoignable")));
  };
  if (status.kind === "conflict") {
    return (
      <div className={styles.banner}>
        <Alert tone="warning" title={`Ce brouillon a été modifié ailleurs${momentOf(status.at)}.`}>
          <div className="row">
            <Button size="sm" onClick={() => attempt(keeper.reload)}>
              Recharger
            </Button>
            <Button size="sm" onClick={() => attempt(keeper.keepMine)}>
              Garder ma version
            </Button>
          </div>
        </Alert>
      </div>
    );
  }
  if (status.kind === "gone") {
    return (
      <div className={styles.banner}>
        <Alert tone="danger" title="Ce brouillon n’existe plus.">
          <LinkButton size="sm" to="/signature/envelopes/drafts">
            Retour aux brouillons
          </LinkButton>
        </Alert>
      </div>
    );
  }
  if (status.kind === "failed") {
    return (
      <div className={styles.banner}>
        <Alert tone="danger">
          {callMessage(status.error, "Vos modifications n’ont pas pu être enregistrées. Elles restent sur cette page.")}
        </Alert>
      </div>
    );
  }
  return null;
}

/** The time alone says enough of today. */
function momentOf(at: Date | null): string {
  if (at === null) return "";
  const instant = at.toISOString();
  return parisDay(at) === parisDay(new Date()) ? ` à ${formatTime(instant)}` : ` le ${formatInstant(instant)}`;
}
