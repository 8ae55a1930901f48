import { Alert } from "../../ui/alert/alert.tsx";
import { ResendActivation } from "./resend-activation.tsx";

type Props = { readonly activated: string | null; readonly reset: string | null };

/** What the address says of where the person comes from: an activation link, a new password. */
export function LoginNotice({ activated, reset }: Props) {
  if (activated === "1") return <Alert tone="success">Compte activé avec succès. Vous pouvez maintenant vous connecter.</Alert>;
  if (activated === "0") {
    return (
      <>
        <Alert tone="danger">Lien d'activation invalide. Veuillez vérifier votre lien ou en demander un nouveau.</Alert>
        <ResendActivation />
      </>
    );
  }
  if (reset === "1") return <Alert tone="success">Mot de passe réinitialisé avec succès. Vous pouvez maintenant vous connecter.</Alert>;
  return null;
}
